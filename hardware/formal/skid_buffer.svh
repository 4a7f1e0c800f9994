// Proved of `skid_buffer.sv`: words leave in the order in which they came, each once, unchanged,
// and an offered word stays until it is taken.
//
// Words are numbered from the reset on; `watched` is any of them.
localparam int Number = 16;

(* anyconst *) logic [Number-1:0] watched;
logic [Number-1:0] sent, received;
logic [Width-1:0] value;
logic started = 1'b0;
// The output of the cycle before, if it was not taken.
logic kept = 1'b0;
logic [Width-1:0] kept_data;

always_ff @(posedge clk) begin
  kept <= !reset && out_valid && !out_ready;
  kept_data <= out_data;
  if (reset) begin
    started <= 1'b1;
    sent <= '0;
    received <= '0;
  end else begin
    if (in_valid && in_ready) sent <= sent + 1'b1;
    if (out_valid && out_ready) received <= received + 1'b1;
    if (in_valid && in_ready && sent == watched) value <= in_data;
  end
end

always_comb begin
  if (started) begin
    // Nothing is lost or invented: what came and has not left is in the two registers.
    assert (sent - received == Number'(out_valid) + Number'(spare_valid));
    assert (out_valid || !spare_valid);
    // What leaves is what came, in its order.
    if (out_valid && received == watched) assert (out_data == value);
    if (spare_valid && received + 1'b1 == watched) assert (spare == value);
    // The rule of AXI4-Stream.
    if (kept) assert (out_valid && out_data == kept_data);
  end
end

always_comb cover (started && spare_valid && sent == 16'd5);
