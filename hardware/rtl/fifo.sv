// A queue in distributed RAM.
//
// Ports: `in_*` and `out_*` are valid/ready handshakes; a word moves in a cycle where both are 1.
// `room`: at least `Slack` words fitted in a cycle ago. A source with a register between `room` and
// the queue goes by it instead of `in_ready`: the two words on their way fit as well.
// Timing: a word is at the output in the cycle after it was accepted; one word in and one out in a
// cycle. The output comes from the RAM's asynchronous read port, `in_ready` and `out_valid` from
// pointers, `room` from a register: no path leads from one side's handshake to the other's.
module fifo #(
    parameter int Width = 8,
    parameter int Depth = 16,  // a power of two
    parameter int Slack = 3
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [Width-1:0] in_data,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [Width-1:0] out_data,
    output logic             room
);
  localparam int AddressBits = $clog2(Depth);

  logic [Width-1:0] memory[0:Depth-1];
  // One bit more than an address: equal addresses are a full queue if that bit differs.
  logic [AddressBits:0] written, read;
  logic [AddressBits:0] count;

  assign count = written - read;
  assign in_ready = (written ^ read) != {1'b1, AddressBits'(0)};
  assign out_valid = written != read;
  assign out_data = memory[read[AddressBits-1:0]];

  always_ff @(posedge clk) begin
    if (in_valid && in_ready) memory[written[AddressBits-1:0]] <= in_data;
    if (reset) begin
      written <= '0;
      read <= '0;
      room <= 1'b0;
    end else begin
      room <= count <= (AddressBits + 1)'(Depth - Slack);
      if (in_valid && in_ready) written <= written + 1'b1;
      if (out_valid && out_ready) read <= read + 1'b1;
    end
  end

`ifdef FORMAL
  `include "fifo.svh"
`endif
endmodule
