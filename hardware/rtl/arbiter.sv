// Chooses one of several requests, in turn.
//
// Ports: `request` has a bit for each requester; `grant` is one of them, or none if there is none.
// `advance` says that the grant is used: the next choice begins behind it.
// Timing: `grant` is combinational; the turn is a register.
module arbiter #(
    parameter int Count = 8
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             advance,
    input  logic [Count-1:0] request,
    output logic [Count-1:0] grant
);
  // 1 for those behind the last one granted: they come first.
  logic [Count-1:0] behind, behind_grant;
  logic [Count-1:0] preferred, candidates;

  assign preferred = request & behind;
  assign candidates = preferred != '0 ? preferred : request;

  // The lowest candidate; for each requester, whether the grant is below it.
  always_comb begin
    for (int i = 0; i < Count; i++) begin
      grant[i] = candidates[i] && (candidates & Count'((1 << i) - 1)) == '0;
      behind_grant[i] = (candidates & Count'((1 << i) - 1)) != '0;
    end
  end

  always_ff @(posedge clk) begin
    if (reset) behind <= '0;
    else if (advance && grant != '0) behind <= behind_grant;
  end

`ifdef FORMAL
  `include "arbiter.svh"
`endif
endmodule
