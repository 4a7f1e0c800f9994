// The fingerprint engine: several simhash cores behind one input and one output, both AXI4-Stream.
//
//                                         +-> core 0 -+
//     s_axis -> skid buffer -> register --+-> core 1 -+-> arbiter -> register -> m_axis
//                                         +-> ...    -+
//
// Ports, input: TDATA has eight bytes of one document, byte 0 first; TKEEP marks those that exist,
// any of them or none; TLAST is on a document's last beat; TDEST is the core, the same for all
// beats of a document; TID is its number, read on its last beat. Beats for different cores may be
// interleaved at will. A beat waits while its core has no room, and those behind it with it.
// Ports, output: TDATA is the fingerprint, TID the number of its document; TUSER[0]: the document
// has too many words for the counters, TUSER[1]: it has no word, and TDATA is all ones.
// Timing: one beat and one fingerprint in every cycle. Fingerprints of one core keep their order;
// those of different cores leave as they are ready, in turn.
module fingerprint_engine #(
    parameter int Cores = 8,  // a power of two, at least 2
    parameter int IdWidth = 16,
    parameter int CounterWidth = 24,
    parameter bit TwoLevel = 1'b1,
    parameter int Lanes = 4,
    parameter int LowWidth = 3,
    parameter int Slices = 2,
    parameter bit FoldCase = 1'b0,
    parameter int BeatDepth = 16
) (
    input  logic                     clk,
    input  logic                     reset,
    input  logic                     s_axis_tvalid,
    output logic                     s_axis_tready,
    input  logic [63:0]              s_axis_tdata,
    input  logic [7:0]               s_axis_tkeep,
    input  logic                     s_axis_tlast,
    input  logic [IdWidth-1:0]       s_axis_tid,
    input  logic [$clog2(Cores)-1:0] s_axis_tdest,
    output logic                     m_axis_tvalid,
    input  logic                     m_axis_tready,
    output logic [63:0]              m_axis_tdata,
    output logic [IdWidth-1:0]       m_axis_tid,
    output logic [1:0]               m_axis_tuser
);
  localparam int DestWidth = $clog2(Cores);
  // Documents between a core's input and its output: their numbers wait here.
  localparam int IdDepth = 32;

  logic beat_valid, beat_ready, beat_last;
  logic [63:0] beat_data;
  logic [7:0] beat_keep;
  logic [IdWidth-1:0] beat_id;
  logic [DestWidth-1:0] beat_dest;

  skid_buffer #(
      .Width(73 + IdWidth + DestWidth)
  ) source (
      .clk,
      .reset,
      .in_valid(s_axis_tvalid),
      .in_ready(s_axis_tready),
      .in_data({s_axis_tdest, s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tdata}),
      .out_valid(beat_valid),
      .out_ready(beat_ready),
      .out_data({beat_dest, beat_id, beat_last, beat_keep, beat_data})
  );

  // A beat leaves the skid buffer if its core has room, and reaches the core a register later.
  logic [Cores-1:0] has_room, sent;
  logic sent_last;
  logic [63:0] sent_data;
  logic [7:0] sent_keep;
  logic [IdWidth-1:0] sent_id;

  assign beat_ready = has_room[beat_dest];

  always_ff @(posedge clk) begin
    {sent_id, sent_last, sent_keep, sent_data} <= {beat_id, beat_last, beat_keep, beat_data};
    for (int i = 0; i < Cores; i++) begin
      sent[i] <= !reset && beat_valid && has_room[i] && beat_dest == DestWidth'(i);
    end
  end

  logic [Cores-1:0] done, chosen, taken;
  logic [Cores-1:0][63:0] fingerprints;
  logic [Cores-1:0][IdWidth-1:0] ids;
  logic [Cores-1:0][1:0] flags;

  for (genvar i = 0; i < Cores; i++) begin : core
    logic core_ready, core_room, id_ready, id_room;

    assign has_room[i] = core_room && id_room;

    simhash_core #(
        .CounterWidth(CounterWidth),
        .TwoLevel(TwoLevel),
        .Lanes(Lanes),
        .LowWidth(LowWidth),
        .Slices(Slices),
        .FoldCase(FoldCase),
        .BeatDepth(BeatDepth)
    ) simhash (
        .clk,
        .reset,
        .in_valid(sent[i]),
        .in_ready(core_ready),
        .in_room(core_room),
        .in_data(sent_data),
        .in_keep(sent_keep),
        .in_last(sent_last),
        .out_valid(done[i]),
        .out_ready(taken[i]),
        .out_fingerprint(fingerprints[i]),
        .out_overflow(flags[i][0]),
        .out_empty(flags[i][1])
    );

    logic [IdWidth-1:0] first_id;
    logic unused_valid;

    fifo #(
        .Width(IdWidth),
        .Depth(IdDepth)
    ) numbers (
        .clk,
        .reset,
        .in_valid(sent[i] && sent_last),
        .in_ready(id_ready),
        .in_data(sent_id),
        .out_valid(unused_valid),
        .out_ready(taken[i]),
        .out_data(first_id),
        .room(id_room)
    );

    // A core is chosen one cycle before it is read, and again two cycles later at the soonest, so
    // this register always has the number that belongs to the fingerprint.
    always_ff @(posedge clk) ids[i] <= first_id;

`ifndef SYNTHESIS
    always_ff @(posedge clk)
      assert (reset || !sent[i] || (core_ready && id_ready)) else $error("a beat is lost");
`endif

    logic unused;
    assign unused = &{1'b0, unused_valid, core_ready, id_ready};
  end

  // First choose a core, then, a cycle later, read it.
  logic [Cores-1:0] grant;
  logic move;

  assign move = !m_axis_tvalid || m_axis_tready;
  assign taken = move ? chosen : '0;

  arbiter #(
      .Count(Cores)
  ) turns (
      .clk,
      .reset,
      .advance(move),
      .request(done & ~chosen),
      .grant
  );

  logic [63:0] read_fingerprint;
  logic [IdWidth-1:0] read_id;
  logic [1:0] read_flags;

  always_comb begin
    read_fingerprint = '0;
    read_id = '0;
    read_flags = '0;
    for (int i = 0; i < Cores; i++) begin
      read_fingerprint |= fingerprints[i] & {64{chosen[i]}};
      read_id |= ids[i] & {IdWidth{chosen[i]}};
      read_flags |= flags[i] & {2{chosen[i]}};
    end
  end

  always_ff @(posedge clk) begin
    if (move) begin
      m_axis_tdata <= read_fingerprint;
      m_axis_tid <= read_id;
      m_axis_tuser <= read_flags;
    end
    if (reset) begin
      chosen <= '0;
      m_axis_tvalid <= 1'b0;
    end else if (move) begin
      chosen <= grant;
      m_axis_tvalid <= chosen != '0;
    end
  end
endmodule
