// Counts the words of a document, to say two things about it: that it has none, and that it has
// more than the vote counters can hold.
//
// Ports: `word` counts one; `clear` begins a new document, and is never 1 together with `word`.
// `overflow` is 1 from the word number 2^(CounterWidth-1) on: the first at which a signed counter
// of that width can leave its range. `empty` is 1 until the first word.
// Timing: the outputs are registers and include the word of the cycle before.
module word_count #(
    parameter int CounterWidth = 24
) (
    input  logic clk,
    input  logic reset,
    input  logic word,
    input  logic clear,
    output logic overflow,
    output logic empty
);
  // The highest bit is the flag, and stops the count.
  logic [CounterWidth-1:0] count;
  assign overflow = count[CounterWidth-1];

  always_ff @(posedge clk) begin
    if (reset || clear) begin
      count <= '0;
      empty <= 1'b1;
    end else if (word) begin
      if (!overflow) count <= count + 1'b1;
      empty <= 1'b0;
    end
  end
endmodule
