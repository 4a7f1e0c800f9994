// The hash of a word: h = c + 65599 h modulo 2^64, for a byte c in every cycle.
//
// 65599 h = (h << 16) + (h << 6) - h, and -h = ~h + 1. A 64-bit sum in one cycle would limit the
// clock, so the register is cut into `Slices` slices that work one cycle apart:
//
//     cycle t      slice 0 adds byte c                      bits  0..31 (of two slices)
//     cycle t + 1  slice 1 adds what slice 0 carried out    bits 32..63
//
// The top 16 bits of the lower slice, as they were before, travel with the carries: the shifts move
// them into the higher slice.
//
// Ports: `in_word` with `in_byte` continues a word, `in_close` ends it, `in_end` (only with
// `in_close`) ends the document. An entry leaves for each word and for each end: `out_has_word`
// says whether `out_hash` is a word's, `out_end` whether the document ends behind it.
// Timing: `Slices` cycles of latency, one byte in every cycle, no back-pressure.
module sdbm #(
    parameter int Slices = 2  // 1, 2 or 4: a slice has at least the 16 bits of the longer shift
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        in_word,
    input  logic [7:0]  in_byte,
    input  logic        in_close,
    input  logic        in_end,
    output logic        out_valid,
    output logic [63:0] out_hash,
    output logic        out_has_word,
    output logic        out_end
);
  localparam int Width = 64 / Slices;

  // Whether a word has begun.
  logic begun;
  // What slice k does: the inputs, delayed by k cycles.
  logic [Slices:0] word, close, ends, has_word;
  logic [Slices:1] word_later, close_later, ends_later, has_word_later;

  assign word = {word_later, in_word};
  assign close = {close_later, in_close};
  assign ends = {ends_later, in_end};
  assign has_word = {has_word_later, begun};

  always_ff @(posedge clk) begin
    if (reset) begin
      begun <= 1'b0;
      word_later <= '0;
      close_later <= '0;
      ends_later <= '0;
      has_word_later <= '0;
    end else begin
      if (in_close) begun <= 1'b0;
      else if (in_word) begun <= 1'b1;
      word_later <= word[Slices-1:0];
      close_later <= close[Slices-1:0];
      ends_later <= ends[Slices-1:0];
      has_word_later <= has_word[Slices-1:0];
    end
  end

  for (genvar k = 0; k < Slices; k++) begin : slice
    logic [Width-1:0] hash;
    // What the slice below carried and shifted out; for the lowest slice the 1 of -h, and the byte.
    logic [1:0] carry_in, carry_out;
    logic [15:0] shifted;
    logic [5:0] shifted_6;
    logic [Width-1:0] sum;

    if (k == 0) begin : lowest
      assign carry_in = 2'b01;
      assign shifted = {8'd0, in_byte};
      assign shifted_6 = 6'd0;
    end else begin : higher
      always_ff @(posedge clk) begin
        carry_in <= slice[k-1].carry_out;
        shifted <= slice[k-1].hash[Width-1-:16];
      end
      assign shifted_6 = shifted[15:10];
    end

    sdbm_step #(
        .Width(Width)
    ) step (
        .hash,
        .shifted,
        .shifted_6,
        .carry_in,
        .sum,
        .carry_out
    );

    always_ff @(posedge clk) begin
      if (reset || close[k]) hash <= '0;
      else if (word[k]) hash <= sum;
    end

    // A finished hash waits for its higher slices.
    logic [Width-1:0] finished[0:Slices-k-1];
    always_ff @(posedge clk) begin
      finished[0] <= hash;
      for (int i = 1; i < Slices - k; i++) finished[i] <= finished[i-1];
    end
    assign out_hash[Width*k+:Width] = finished[Slices-k-1];
  end

  assign out_valid = close[Slices] && (has_word[Slices] || ends[Slices]);
  assign out_has_word = has_word[Slices];
  assign out_end = ends[Slices];

  logic unused;
  assign unused = &{1'b0, word[Slices], slice[Slices-1].carry_out};
endmodule
