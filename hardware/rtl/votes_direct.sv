// The votes, as in the paper: 64 full counters, all of them changed by every word.
//
//     sum[j] += hash[j] ? 1 : -1        fingerprint[j] = sum[j] >= 0
//
// Ports: `in_*` is a valid/ready handshake of entries: a word's hash (`in_has_word`), the end of a
// document (`in_end`), or both. `out_*` is a valid/ready handshake of fingerprints with two flags,
// see `word_count.sv`.
// Timing: a word in every cycle; the end of a document takes one cycle more, and waits until the
// fingerprint before has left.
module votes_direct #(
    parameter int CounterWidth = 24
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        in_valid,
    output logic        in_ready,
    input  logic [63:0] in_hash,
    input  logic        in_has_word,
    input  logic        in_end,
    output logic        out_valid,
    input  logic        out_ready,
    output logic [63:0] out_fingerprint,
    output logic        out_overflow,
    output logic        out_empty
);
  logic ending, publish, word, overflow, empty;
  logic [63:0] negative;

  assign in_ready = !ending;
  assign word = in_valid && in_ready && in_has_word;
  assign publish = ending && (!out_valid || out_ready);

  for (genvar j = 0; j < 64; j++) begin : counter
    logic [CounterWidth-1:0] sum;
    always_ff @(posedge clk) begin
      if (reset || publish) sum <= '0;
      else if (word) sum <= sum + {{(CounterWidth - 1) {!in_hash[j]}}, 1'b1};
    end
    assign negative[j] = sum[CounterWidth-1];
  end

  word_count #(
      .CounterWidth(CounterWidth)
  ) words (
      .clk,
      .reset,
      .word,
      .clear(publish),
      .overflow,
      .empty
  );

  always_ff @(posedge clk) begin
    if (publish) begin
      out_fingerprint <= ~negative;
      out_overflow <= overflow;
      out_empty <= empty;
    end
    if (reset) begin
      ending <= 1'b0;
      out_valid <= 1'b0;
    end else begin
      if (publish) ending <= 1'b0;
      else if (in_valid && in_ready) ending <= in_end;
      if (publish) out_valid <= 1'b1;
      else if (out_ready) out_valid <= 1'b0;
    end
  end
endmodule
