// Several fingerprint engines on one chip, each with its own input and output stream, as the
// paper's FPGA has one pair of memory channels for each engine.
//
// Ports: those of `fingerprint_engine.sv`, a slice of each vector for an engine, engine 0 lowest.
// Timing: the engines have nothing in common but clock and reset.
module simhash_top #(
    parameter int Engines = 8,
    parameter int Cores = 8,
    parameter int IdWidth = 16,
    parameter int CounterWidth = 24,
    parameter bit TwoLevel = 1'b1,
    parameter int Lanes = 4,
    parameter int LowWidth = 3,
    parameter int Slices = 2,
    parameter bit FoldCase = 1'b0,
    parameter int BeatDepth = 16
) (
    input  logic                                  clk,
    input  logic                                  reset,
    input  logic [Engines-1:0]                    s_axis_tvalid,
    output logic [Engines-1:0]                    s_axis_tready,
    input  logic [Engines-1:0][63:0]              s_axis_tdata,
    input  logic [Engines-1:0][7:0]               s_axis_tkeep,
    input  logic [Engines-1:0]                    s_axis_tlast,
    input  logic [Engines-1:0][IdWidth-1:0]       s_axis_tid,
    input  logic [Engines-1:0][$clog2(Cores)-1:0] s_axis_tdest,
    output logic [Engines-1:0]                    m_axis_tvalid,
    input  logic [Engines-1:0]                    m_axis_tready,
    output logic [Engines-1:0][63:0]              m_axis_tdata,
    output logic [Engines-1:0][IdWidth-1:0]       m_axis_tid,
    output logic [Engines-1:0][1:0]               m_axis_tuser
);
  for (genvar e = 0; e < Engines; e++) begin : engine
    fingerprint_engine #(
        .Cores(Cores),
        .IdWidth(IdWidth),
        .CounterWidth(CounterWidth),
        .TwoLevel(TwoLevel),
        .Lanes(Lanes),
        .LowWidth(LowWidth),
        .Slices(Slices),
        .FoldCase(FoldCase),
        .BeatDepth(BeatDepth)
    ) fingerprint (
        .clk,
        .reset,
        .s_axis_tvalid(s_axis_tvalid[e]),
        .s_axis_tready(s_axis_tready[e]),
        .s_axis_tdata(s_axis_tdata[e]),
        .s_axis_tkeep(s_axis_tkeep[e]),
        .s_axis_tlast(s_axis_tlast[e]),
        .s_axis_tid(s_axis_tid[e]),
        .s_axis_tdest(s_axis_tdest[e]),
        .m_axis_tvalid(m_axis_tvalid[e]),
        .m_axis_tready(m_axis_tready[e]),
        .m_axis_tdata(m_axis_tdata[e]),
        .m_axis_tid(m_axis_tid[e]),
        .m_axis_tuser(m_axis_tuser[e])
    );
  end
endmodule
