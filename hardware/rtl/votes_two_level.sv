// The votes in two levels: small counters that every word changes at once, and full sums in
// distributed RAM that a few adders visit in turn.
//
//     for each word, for every j:    low[j] += hash[j]
//     in every cycle, for one group of `Lanes` bits, the next one in turn:
//         sum[j] += 2 low[j] - m     m = words since the last visit, the same for every group
//         low[j] = 0
//
// A group is visited every Steps = 64 / Lanes cycles, so m is the number of words in that many
// cycles. It must stay below 2^LowWidth: where words follow each other faster, one waits. That
// cannot happen if 2^LowWidth > Steps / 2, because a word and its separator have two bytes; with 3
// bits and 16 steps it takes eight words in sixteen bytes.
//
// At the end of a document one more round of visits (Steps cycles) completes the sums, whose signs
// are the fingerprint. Words of the next document wait for it in the queue before this module; its
// sums start from zero in the round after.
//
// Ports: as `votes_direct.sv`.
// Timing: a word in every cycle, within the limit above; the end of a document takes Steps + 1
// cycles, and waits until the fingerprint before has left.
module votes_two_level #(
    parameter int CounterWidth = 24,
    parameter int Lanes = 4,    // a power of two
    parameter int LowWidth = 3  // at least 2
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
  localparam int Steps = 64 / Lanes;
  localparam int StepBits = $clog2(Steps);
  localparam int RowWidth = Lanes * CounterWidth;

  // An entry is taken into `hash`, which is 0 without a word, and counted in the cycle after.
  logic take, word;
  logic [63:0] hash;

  // Words of the last Steps cycles: one bit for each cycle, and their number.
  logic [Steps-1:0] history;
  logic [LowWidth-1:0] recent;
  logic may_count;

  // The last round of a document, and the first, whose sums start from zero: each ends with the
  // step before the one at which it began.
  logic [StepBits-1:0] step;
  logic ending, is_last, is_first, round_ends;
  logic [StepBits-1:0] last_step, first_step;
  // From the end of a document to the end of its last round.
  logic busy;
  // The second half of the last visit: the fingerprint is complete in the next cycle.
  logic publishing;
  logic overflow, empty;

  assign round_ends = is_last && step == last_step;
  // recent + word < 2^LowWidth - 1, without an adder.
  assign may_count = !(&recent[LowWidth-1:1] && (recent[0] || word));
  assign in_ready = may_count && !busy && !(in_end && (out_valid || publishing));
  assign take = in_valid && in_ready;

  always_ff @(posedge clk) begin
    hash <= (take && in_has_word) ? in_hash : 64'd0;
    if (reset) begin
      word <= 1'b0;
      ending <= 1'b0;
      busy <= 1'b0;
      history <= '0;
      recent <= '0;
      is_last <= 1'b0;
      is_first <= 1'b1;
      first_step <= StepBits'(Steps - 1);
    end else begin
      word <= take && in_has_word;
      ending <= take && in_end;
      if (take && in_end) busy <= 1'b1;
      else if (round_ends) busy <= 1'b0;
      history <= {history[Steps-2:0], word};
      recent <= recent + LowWidth'(word) - LowWidth'(history[Steps-1]);
      if (ending) begin
        is_last <= 1'b1;
        last_step <= step;
      end else if (round_ends) begin
        is_last <= 1'b0;
      end
      if (round_ends) begin
        is_first <= 1'b1;
        first_step <= step;
      end else if (step == first_step) begin
        is_first <= 1'b0;
      end
    end
  end

  // The small counters, and the visit of one group: its counts leave, and a word of the same cycle
  // is the first of the next. A counter has no carry chain: each of its bits is one look-up table
  // of the bits below, the hash's bit and the visit. `visit` is the step with one bit for each
  // group.
  logic [Steps-1:0] visit;
  logic [Steps-1:0][Lanes-1:0][LowWidth-1:0] low;
  logic [Lanes-1:0][LowWidth-1:0] visited;

  assign visited = low[step];

  for (genvar s = 0; s < Steps; s++) begin : group
    for (genvar l = 0; l < Lanes; l++) begin : lane
      for (genvar b = 0; b < LowWidth; b++) begin : place
        logic toggle;
        if (b == 0) begin : lowest
          assign toggle = hash[s*Lanes+l];
        end else begin : higher
          assign toggle = hash[s*Lanes+l] && (&low[s][l][b-1:0]);
        end
        always_ff @(posedge clk) begin
          if (reset || (visit[s] && b != 0)) low[s][l][b] <= 1'b0;
          else low[s][l][b] <= (low[s][l][b] && !visit[s]) ^ toggle;
        end
      end
    end
  end

  // First half of a visit: read the sums, compute the change.
  logic [RowWidth-1:0] sums[0:Steps-1];
  logic [StepBits-1:0] row;
  logic [Lanes-1:0][CounterWidth-1:0] old_sum, new_sum;
  logic [Lanes-1:0][LowWidth:0] change;
  // The group of this half, in the last round of a document.
  logic [Steps-1:0] last_visit;

  always_ff @(posedge clk) begin
    old_sum <= is_first ? '0 : sums[step];
    row <= step;
    for (int l = 0; l < Lanes; l++) change[l] <= {visited[l], 1'b0} - {1'b0, recent};
    if (reset) begin
      step <= '0;
      visit <= Steps'(1);
      last_visit <= '0;
    end else begin
      step <= step + 1'b1;
      visit <= {visit[Steps-2:0], visit[Steps-1]};
      last_visit <= is_last ? visit : '0;
    end
  end

  // Second half: add, write back, keep the signs of the last round.
  always_comb begin
    for (int l = 0; l < Lanes; l++) begin
      new_sum[l] = old_sum[l] + {{(CounterWidth - LowWidth - 1) {change[l][LowWidth]}}, change[l]};
    end
  end

  always_ff @(posedge clk) sums[row] <= new_sum;

  for (genvar s = 0; s < Steps; s++) begin : sign
    for (genvar l = 0; l < Lanes; l++) begin : lane
      always_ff @(posedge clk) begin
        if (last_visit[s]) out_fingerprint[s*Lanes+l] <= !new_sum[l][CounterWidth-1];
      end
    end
  end

  word_count #(
      .CounterWidth(CounterWidth)
  ) words (
      .clk,
      .reset,
      .word(take && in_has_word),
      .clear(ending),
      .overflow,
      .empty
  );

  always_ff @(posedge clk) begin
    if (ending) begin
      out_overflow <= overflow;
      out_empty <= empty;
    end
    if (reset) begin
      publishing <= 1'b0;
      out_valid <= 1'b0;
    end else begin
      publishing <= round_ends;
      if (publishing) out_valid <= 1'b1;
      else if (out_ready) out_valid <= 1'b0;
    end
  end
endmodule
