// Two registers that cut every combinational path between a stream's source and its sink.
//
// Ports: `in_*` and `out_*` are valid/ready handshakes.
// Timing: one cycle of latency, one word in every cycle. `in_ready` comes from a register: when the
// sink stops, the word that is on its way goes into the second register.
module skid_buffer #(
    parameter int Width = 8
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [Width-1:0] in_data,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [Width-1:0] out_data
);
  logic spare_valid;
  logic [Width-1:0] spare;

  assign in_ready = !spare_valid;

  always_ff @(posedge clk) begin
    if (in_ready) spare <= in_data;
    if (out_ready || !out_valid) out_data <= spare_valid ? spare : in_data;
    if (reset) begin
      out_valid <= 1'b0;
      spare_valid <= 1'b0;
    end else if (out_ready || !out_valid) begin
      out_valid <= in_valid || spare_valid;
      spare_valid <= 1'b0;
    end else if (in_valid && in_ready) begin
      spare_valid <= 1'b1;
    end
  end

`ifdef FORMAL
  `include "skid_buffer.svh"
`endif
endmodule
