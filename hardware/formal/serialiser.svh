// Proved of `serialiser.sv`: the bytes that are kept leave in their order, each once, unchanged;
// each document's end leaves once, behind all of its bytes and before any of the next; and with
// `go` something moves in every cycle.
//
// Bytes and documents are numbered from the reset on; `watched` and `watched_end` are any of them.
localparam int Number = 16;

(* anyconst *) logic [Number-1:0] watched, watched_end;
// Bytes and ends that came, and those that left or stand at the output.
logic [Number-1:0] sent, received, ends_sent, ends_received;
// The byte that is watched; the number of bytes before the end that is watched.
logic [7:0] value;
logic [Number-1:0] bytes_before;
logic started = 1'b0;
logic should_move = 1'b0;

function automatic logic [3:0] ones(input logic [7:0] mask);
  ones = 4'd0;
  for (int i = 0; i < 8; i++) ones = ones + 4'(mask[i]);
endfunction

// The byte with this number among those that a mask keeps.
function automatic logic [7:0] kept_byte(input logic [63:0] bytes, input logic [7:0] mask,
                                         input logic [Number-1:0] number);
  kept_byte = 8'd0;
  for (int i = 0; i < 8; i++) begin
    if (mask[i] && Number'(ones(mask & 8'((1 << i) - 1))) == number) kept_byte = bytes[8*i+:8];
  end
endfunction

logic accept;
logic [Number-1:0] arriving, waiting, ends_waiting;
assign accept = in_valid && in_ready;
assign arriving = Number'(ones(in_keep));
assign waiting = held ? Number'(ones(pending)) : '0;
assign ends_waiting = Number'(held && last);

always_ff @(posedge clk) begin
  should_move <= !reset && held && go && !(none_left && !last);
  if (reset) begin
    started <= 1'b1;
    sent <= '0;
    received <= '0;
    ends_sent <= '0;
    ends_received <= '0;
  end else begin
    if (accept) begin
      sent <= sent + arriving;
      if (watched - sent < arriving) value <= kept_byte(in_data, in_keep, watched - sent);
      if (in_last) ends_sent <= ends_sent + 1'b1;
      if (in_last && ends_sent == watched_end) bytes_before <= sent + arriving;
    end
    if (out_byte_valid) received <= received + 1'b1;
    if (out_end) ends_received <= ends_received + 1'b1;
  end
end

always_comb begin
  if (started) begin
    // Nothing is lost or invented: what came and has not left is in the beat or at the output.
    assert (sent - received == waiting + Number'(out_byte_valid));
    assert (ends_sent - ends_received == ends_waiting + Number'(out_end));
    assert (!(out_byte_valid && out_end));
    // Order and value, at the output and, for the induction, in the beat.
    if (out_byte_valid && received == watched) assert (out_byte == value);
    if (watched - received - Number'(out_byte_valid) < waiting) begin
      assert (kept_byte(data, pending, watched - received - Number'(out_byte_valid)) == value);
    end
    // An end follows exactly the bytes that came before it.
    if (out_end && ends_received == watched_end) assert (received == bytes_before);
    if (held && last && ends_received + Number'(out_end) == watched_end) assert (sent == bytes_before);
    if (should_move) assert (out_byte_valid || out_end);
  end
end

always_comb cover (started && ends_received == 16'd2 && received == 16'd3);
