// The bytes that end a word, one bit each: bit b is 1 if byte b separates.
//
// Everything in ASCII that is no letter and no digit: 00-2f, 3a-40, 5b-60, 7b-7f. Bytes from 80 on
// belong to characters outside ASCII and make words; the host writes a blank where one separates.
//
// This is the only list. The RTL includes it, the test bench reads this file, and a test compares
// it with the words of `twindex-core`.
localparam logic [255:0] Separators = {
    64'h0000_0000_0000_0000,  // c0-ff
    64'h0000_0000_0000_0000,  // 80-bf
    64'hf800_0001_f800_0001,  // 40-7f
    64'hfc00_ffff_ffff_ffff   // 00-3f
};
