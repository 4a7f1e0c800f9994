// One slice of one step of sdbm: the bits of (h << 16) + c + (h << 6) + ~h + 1 that belong to it,
// and the carries into the slice above.
//
// Two adders, each with its own carry from slice to slice: three terms in one sum would carry two
// bits and cost a row of compressors. The byte c takes the 16 bits that h << 16 leaves empty in the
// lowest slice; the 1 of -h = ~h + 1 is that slice's first carry.
//
// Ports: `hash` is the slice; `shifted` the top 16 bits of the slice below, or the byte;
// `shifted_6` the top 6, or 0; `carry_in` and `carry_out` one bit for each adder; `sum` the slice's
// next value.
// Timing: combinational, two chained adders of `Width` bits.
module sdbm_step #(
    parameter int Width = 32
) (
    input  logic [Width-1:0] hash,
    input  logic [15:0]      shifted,
    input  logic [5:0]       shifted_6,
    input  logic [1:0]       carry_in,
    output logic [Width-1:0] sum,
    output logic [1:0]       carry_out
);
  logic [Width-1:0] times_65536, times_64, times_63, inverse;

  if (Width == 16) begin : narrow
    assign times_65536 = shifted;
  end else begin : wide
    assign times_65536 = {hash[Width-17:0], shifted};
  end
  assign times_64 = {hash[Width-7:0], shifted_6};

  assign inverse = ~hash;

  assign {carry_out[0], times_63} = (Width + 1)'(times_64) + (Width + 1)'(inverse)
      + (Width + 1)'(carry_in[0]);
  assign {carry_out[1], sum} = (Width + 1)'(times_65536) + (Width + 1)'(times_63)
      + (Width + 1)'(carry_in[1]);
endmodule
