// Takes beats of up to eight bytes apart: one byte in every cycle, then one cycle for the end of
// the document.
//
// Ports: `in_*` is a valid/ready handshake of beats. `in_keep` marks the bytes that exist, any of
// the eight and possibly none; byte 0 is the lowest and comes first. `go` allows one step: without
// it the serialiser stands still. `out_byte_valid` and `out_end` are never 1 together.
// Timing: the outputs are registers. A beat with k bytes takes max(k, 1) cycles, the last beat of a
// document k + 1.
module serialiser (
    input  logic        clk,
    input  logic        reset,
    input  logic        go,
    input  logic        in_valid,
    output logic        in_ready,
    input  logic [63:0] in_data,
    input  logic [7:0]  in_keep,
    input  logic        in_last,
    output logic        out_byte_valid,
    output logic [7:0]  out_byte,
    output logic        out_end
);
  logic held;
  logic [63:0] data;
  // The bytes of the beat that have not left yet.
  logic [7:0] pending;
  logic last;

  logic [7:0] lowest;
  logic [7:0] chosen;
  logic one_left, none_left, done;

  always_comb begin
    lowest[0] = pending[0];
    for (int i = 1; i < 8; i++) lowest[i] = pending[i] && (pending & 8'((1 << i) - 1)) == 8'd0;
  end
  assign none_left = pending == 8'd0;
  assign one_left = (pending & ~lowest) == 8'd0;
  assign done = last ? (go && none_left) : (none_left || (go && one_left));
  assign in_ready = !held || done;

  // The place of the lowest byte, in binary: a multiplexer of eight is smaller than eight gates and
  // an OR.
  logic [2:0] place;
  assign place = {|lowest[7:4], |(lowest & 8'hcc), |(lowest & 8'haa)};
  assign chosen = data[8*place+:8];

  always_ff @(posedge clk) begin
    out_byte <= chosen;
    if (in_ready) begin
      data <= in_data;
      last <= in_last;
    end
    if (reset) begin
      held <= 1'b0;
      pending <= 8'd0;
      out_byte_valid <= 1'b0;
      out_end <= 1'b0;
    end else begin
      out_byte_valid <= held && go && !none_left;
      out_end <= held && go && none_left && last;
      if (in_ready) begin
        held <= in_valid;
        pending <= in_keep;
      end else if (go) begin
        pending <= pending & ~lowest;
      end
    end
  end

`ifdef FORMAL
  `include "serialiser.svh"
`endif
endmodule
