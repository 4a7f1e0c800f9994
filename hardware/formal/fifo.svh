// Proved of `fifo.sv`: words leave in the order in which they came, each once, unchanged; the queue
// refuses a word only when it is full and is empty only when every word has left. A source that
// sends only where `room` was 1 Slack - 2 cycles ago is never refused.
//
// Words are numbered from the reset on. The proof follows one of them, any one: `watched` is a
// constant that the solver chooses.
localparam int Number = 16;  // bits of a word's number, which may wrap

(* anyconst *) logic [Number-1:0] watched;
logic [Number-1:0] sent, received;
logic [Width-1:0] value;
logic started = 1'b0;
// The registers between `room` and the queue, the newest value lowest, and whether the source has
// gone by the oldest so far.
localparam int Between = Slack - 2;
logic [Between-1:0] room_before;
logic room_seen, obeyed;
assign room_seen = room_before[Between-1];

always_ff @(posedge clk) begin
  room_before <= reset ? '0 : Between'({room_before, room});
  if (reset) begin
    started <= 1'b1;
    sent <= '0;
    received <= '0;
    obeyed <= 1'b1;
  end else begin
    if (in_valid && !room_seen) obeyed <= 1'b0;
    if (in_valid && in_ready) sent <= sent + 1'b1;
    if (out_valid && out_ready) received <= received + 1'b1;
    if (in_valid && in_ready && sent == watched) value <= in_data;
  end
end

logic [Number-1:0] inside_count;
logic is_inside;
assign inside_count = sent - received;
assign is_inside = (watched - received) < inside_count;

always_comb begin
  if (started) begin
    // Nothing is lost, invented or refused without need.
    assert (inside_count <= Number'(Depth));
    assert (in_ready == (inside_count < Number'(Depth)));
    assert (out_valid == (inside_count != '0));
    assert (Number'(count) == inside_count);
    // A source that goes by `room` loses nothing.
    if (obeyed && in_valid && room_seen) assert (in_ready);
    // What leaves is what came, in its order.
    if (out_valid && received == watched) assert (out_data == value);
    // What makes this inductive: the pointers are the numbers, and the word is where they say.
    assert (written == sent[AddressBits:0]);
    assert (read == received[AddressBits:0]);
    if (is_inside) assert (memory[watched[AddressBits-1:0]] == value);
  end
end

// The proof says something: the queue can be full.
always_comb cover (started && !in_ready && !reset);
