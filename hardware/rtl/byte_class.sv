// Decides what a byte does: it continues a word, or it ends one.
//
// Ports: a byte or the end of a document in a cycle. `out_word`: `out_byte` belongs to a word;
// `out_close`: the word before ends, by a separator or by the end; `out_end`: the document ends.
// Timing: one register.
//
// With `FoldCase` the letters A-Z become a-z: the host then sends text in ASCII as it is.
module byte_class #(
    parameter bit FoldCase = 1'b0
) (
    input  logic       clk,
    input  logic       reset,
    input  logic       in_byte_valid,
    input  logic [7:0] in_byte,
    input  logic       in_end,
    output logic       out_word,
    output logic [7:0] out_byte,
    output logic       out_close,
    output logic       out_end
);
  `include "separators.svh"

  logic separates, upper_case;

  assign separates = Separators[in_byte];
  assign upper_case = FoldCase && in_byte >= "A" && in_byte <= "Z";

  always_ff @(posedge clk) begin
    out_byte <= upper_case ? (in_byte | 8'h20) : in_byte;
    out_word <= !reset && in_byte_valid && !separates;
    out_close <= !reset && (in_end || (in_byte_valid && separates));
    out_end <= !reset && in_end;
  end
endmodule
