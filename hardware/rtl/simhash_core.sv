// One simhash core: a document's bytes in, its fingerprint out.
//
//     beats -> fifo -> serialiser -> byte_class -> sdbm -> fifo -> votes -> fingerprint
//                      a byte/cycle  word or not   hash    words   64 sums
//
// Ports: `in_*` is a valid/ready handshake of beats: eight bytes with a mask, any of them or none,
// and a mark on a document's last beat. `in_room`: a source may go by it instead of `in_ready`,
// with a register between (see `fifo.sv`). `out_*` is a valid/ready handshake of fingerprints in
// the order of the documents; `out_empty` marks one without words (its fingerprint is all ones),
// `out_overflow` one with too many (see `word_count.sv`).
// Timing: a document of n bytes takes n + 1 cycles, and the next one follows without a gap. Nothing
// is lost at any length: where the votes or the sink are slower, the beats wait.
module simhash_core #(
    parameter int CounterWidth = 24,
    parameter bit TwoLevel = 1'b1,
    parameter int Lanes = 4,
    parameter int LowWidth = 3,
    parameter int Slices = 2,
    parameter bit FoldCase = 1'b0,
    parameter int BeatDepth = 16
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        in_valid,
    output logic        in_ready,
    output logic        in_room,
    input  logic [63:0] in_data,
    input  logic [7:0]  in_keep,
    input  logic        in_last,
    output logic        out_valid,
    input  logic        out_ready,
    output logic [63:0] out_fingerprint,
    output logic        out_overflow,
    output logic        out_empty
);
  logic beat_valid, beat_ready, beat_last;
  logic [63:0] beat_data;
  logic [7:0] beat_keep;

  fifo #(
      .Width(73),
      .Depth(BeatDepth)
  ) beats (
      .clk,
      .reset,
      .in_valid,
      .in_ready,
      .in_data({in_last, in_keep, in_data}),
      .out_valid(beat_valid),
      .out_ready(beat_ready),
      .out_data({beat_last, beat_keep, beat_data}),
      .room(in_room)
  );

  logic go, byte_valid, byte_end;
  logic [7:0] byte_value;

  serialiser bytes (
      .clk,
      .reset,
      .go,
      .in_valid(beat_valid),
      .in_ready(beat_ready),
      .in_data(beat_data),
      .in_keep(beat_keep),
      .in_last(beat_last),
      .out_byte_valid(byte_valid),
      .out_byte(byte_value),
      .out_end(byte_end)
  );

  logic class_word, class_close, class_end;
  logic [7:0] class_byte;

  byte_class #(
      .FoldCase(FoldCase)
  ) classes (
      .clk,
      .reset,
      .in_byte_valid(byte_valid),
      .in_byte(byte_value),
      .in_end(byte_end),
      .out_word(class_word),
      .out_byte(class_byte),
      .out_close(class_close),
      .out_end(class_end)
  );

  logic hash_valid, hash_has_word, hash_end, hash_ready;
  logic [63:0] hash;

  sdbm #(
      .Slices(Slices)
  ) hashes (
      .clk,
      .reset,
      .in_word(class_word),
      .in_byte(class_byte),
      .in_close(class_close),
      .in_end(class_end),
      .out_valid(hash_valid),
      .out_hash(hash),
      .out_has_word(hash_has_word),
      .out_end(hash_end)
  );

  // Between the serialiser and the queue of words nothing can wait, so the serialiser stops while
  // the queue still has room for what is on its way: at most one entry in each stage, and one for
  // each cycle until the stop is seen.
  localparam int WordDepth = 16;
  localparam int OnTheWay = Slices + 5;

  logic queued_valid, queued_ready;
  logic [65:0] queued;

  fifo #(
      .Width(66),
      .Depth(WordDepth),
      .Slack(OnTheWay)
  ) words (
      .clk,
      .reset,
      .in_valid(hash_valid),
      .in_ready(hash_ready),
      .in_data({hash_end, hash_has_word, hash}),
      .out_valid(queued_valid),
      .out_ready(queued_ready),
      .out_data(queued),
      .room(go)
  );

  // A register behind the queue: the votes' decisions do not wait for its pointers and its RAM.
  logic word_valid, word_ready, word_has_word, word_end;
  logic [63:0] word_hash;

  assign queued_ready = !word_valid || word_ready;

  always_ff @(posedge clk) begin
    if (queued_ready) {word_end, word_has_word, word_hash} <= queued;
    if (reset) word_valid <= 1'b0;
    else if (queued_ready) word_valid <= queued_valid;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk)
    assert (reset || !hash_valid || hash_ready) else $error("the queue of words is full");
`endif

  if (TwoLevel) begin : form
    votes_two_level #(
        .CounterWidth(CounterWidth),
        .Lanes(Lanes),
        .LowWidth(LowWidth)
    ) votes (
        .clk,
        .reset,
        .in_valid(word_valid),
        .in_ready(word_ready),
        .in_hash(word_hash),
        .in_has_word(word_has_word),
        .in_end(word_end),
        .out_valid,
        .out_ready,
        .out_fingerprint,
        .out_overflow,
        .out_empty
    );
  end else begin : form
    votes_direct #(
        .CounterWidth(CounterWidth)
    ) votes (
        .clk,
        .reset,
        .in_valid(word_valid),
        .in_ready(word_ready),
        .in_hash(word_hash),
        .in_has_word(word_has_word),
        .in_end(word_end),
        .out_valid,
        .out_ready,
        .out_fingerprint,
        .out_overflow,
        .out_empty
    );
  end

  logic unused;
  assign unused = &{1'b0, hash_ready};
endmodule
