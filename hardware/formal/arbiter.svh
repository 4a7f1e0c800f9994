// Proved of `arbiter.sv`: it grants one requester if there is any, none otherwise, and starves
// nobody: a request that stays is granted after at most Count - 1 others.
//
// `watched` is any requester; `waits` counts the grants to others since it began to ask.
(* anyconst *) logic [$clog2(Count)-1:0] watched;
logic [$clog2(Count):0] waits;
logic started = 1'b0;

always_ff @(posedge clk) begin
  if (reset) begin
    started <= 1'b1;
    waits <= '0;
  end else if (!request[watched] || (advance && grant[watched])) begin
    waits <= '0;
  end else if (advance) begin
    waits <= waits + 1'b1;
  end
end

// Requesters that may still come before: those from the turn to `watched`, around the end.
logic [$clog2(Count)-1:0] ahead;
always_comb begin
  ahead = watched;
  for (int i = 0; i < Count; i++) ahead = ahead + $clog2(Count)'(behind[i]);
end

always_comb begin
  assert ((grant & request) == grant);
  assert ((grant & (grant - 1'b1)) == '0);
  assert ((grant != '0) == (request != '0));
  if (started) begin
    assert (waits < ($clog2(Count) + 1)'(Count));
    // What makes this inductive: whoever is granted before takes one of the places ahead, and the
    // turn is a boundary, with zeros below and ones above.
    assert (waits + ($clog2(Count) + 1)'(ahead) < ($clog2(Count) + 1)'(Count));
    for (int i = 1; i < Count; i++) assert (behind[i] || !behind[i-1]);
    assert (!behind[0]);
  end
end

always_comb cover (started && waits == ($clog2(Count) + 1)'(Count - 1));
