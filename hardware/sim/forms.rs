// The forms of the engine that are simulated. Included by `build.rs`, which makes a model of each,
// and by `src/form.rs`, which describes them.

/// A defect that is built into a model on purpose: one text in one file of the RTL is replaced.
#[derive(Debug, Clone, Copy)]
pub struct Defect {
    /// The file in `hardware/rtl`.
    pub file: &'static str,
    /// What stands there, exactly once.
    pub right: &'static str,
    /// What is built instead.
    pub wrong: &'static str,
}

/// The parameters of an engine.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// What the form is called.
    pub name: &'static str,
    /// Engines, each with an input and an output of its own.
    pub engines: usize,
    /// Cores of an engine.
    pub cores: usize,
    /// Bits of a vote counter.
    pub counter_width: u32,
    /// Small counters and sums in RAM, or the paper's 64 full counters.
    pub two_level: bool,
    /// Adders of the two-level form.
    pub lanes: u32,
    /// Bits of its small counters.
    pub low_width: u32,
    /// Parts into which the hash register is cut.
    pub slices: u32,
    /// Whether A-Z become a-z in the engine.
    pub fold_case: bool,
    /// What is wrong with it.
    pub defect: Option<Defect>,
}

const TWO_LEVEL: Form = Form {
    name: "two_level",
    engines: 1,
    cores: 8,
    counter_width: 24,
    two_level: true,
    lanes: 4,
    low_width: 3,
    slices: 2,
    fold_case: false,
    defect: None,
};

const DIRECT: Form = Form { name: "direct", two_level: false, ..TWO_LEVEL };

/// The form that is always built.
const USUAL: &[Form] = &[TWO_LEVEL];

/// Built with the feature `all-forms`: every parameter has another value somewhere.
const OTHERS: &[Form] = &[
    DIRECT,
    Form { name: "direct_64", counter_width: 64, slices: 1, ..DIRECT },
    Form { name: "direct_8", counter_width: 8, ..DIRECT },
    Form { name: "two_level_8", counter_width: 8, ..TWO_LEVEL },
    Form { name: "two_level_low_2", low_width: 2, slices: 4, ..TWO_LEVEL },
    Form { name: "two_level_low_4", low_width: 4, slices: 4, ..TWO_LEVEL },
    Form { name: "lanes_16_fold", lanes: 16, low_width: 3, fold_case: true, ..TWO_LEVEL },
    Form { name: "two_engines", engines: 2, cores: 4, ..TWO_LEVEL },
];

/// Built with the feature `mutants`: at least one defect in each file.
const MUTANTS: &[Form] = &[
    mutant("m_fifo", "fifo.sv", "assign count = written - read;", "assign count = '0;"),
    mutant("m_skid", "skid_buffer.sv", "if (in_ready) spare <= in_data;", "spare <= in_data;"),
    mutant("m_serialiser", "serialiser.sv", "pending <= in_keep;", "pending <= in_keep & 8'h7f;"),
    mutant("m_class", "separators.svh", "64'hf800_0001_f800_0001", "64'hf800_0001_7800_0001"),
    mutant("m_close", "byte_class.sv", "(in_end || (in_byte_valid && separates))",
        "(in_byte_valid && separates)"),
    Form { fold_case: true, ..mutant("m_fold", "byte_class.sv", "in_byte <= \"Z\";", "in_byte < \"Z\";") },
    mutant("m_sdbm", "sdbm.sv", "if (reset || close[k]) hash <= '0;", "if (reset) hash <= '0;"),
    mutant("m_carry", "sdbm.sv", "carry_in <= slice[k-1].carry_out;", "carry_in <= 2'b00;"),
    mutant("m_step", "sdbm_step.sv", "assign times_64 = {hash[Width-7:0], shifted_6};",
        "assign times_64 = {hash[Width-7:0], 6'd0};"),
    mutant("m_last_word", "sdbm.sv", "assign has_word = {has_word_later, begun};",
        "assign has_word = {has_word_later, begun && !in_end};"),
    mutant("m_recent", "votes_two_level.sv", "- LowWidth'(history[Steps-1]);",
        "- LowWidth'(history[Steps-2]);"),
    mutant("m_sign", "votes_two_level.sv", "<= !new_sum[l][CounterWidth-1];",
        "<= !new_sum[l][CounterWidth-1] && new_sum[l] != '0;"),
    mutant("m_first", "votes_two_level.sv", "old_sum <= is_first ? '0 : sums[step];",
        "old_sum <= sums[step];"),
    mutant("m_no_reset", "votes_two_level.sv", "      is_first <= 1'b1;\n      first_step <= StepBits'(Steps - 1);",
        "      first_step <= StepBits'(Steps - 1);"),
    Form { two_level: false, ..mutant("m_direct", "votes_direct.sv", "if (reset || publish) sum <= '0;",
        "if (reset) sum <= '0;") },
    mutant("m_words", "word_count.sv", "empty <= 1'b0;", "empty <= empty;"),
    mutant("m_on_the_way", "simhash_core.sv", "localparam int OnTheWay = Slices + 5;",
        "localparam int OnTheWay = Slices;"),
    mutant("m_ids", "fingerprint_engine.sv", "read_id |= ids[i] & {IdWidth{chosen[i]}};",
        "read_id |= ids[i] & {IdWidth{grant[i]}};"),
    mutant("m_twice", "fingerprint_engine.sv", ".request(done & ~chosen),", ".request(done),"),
    mutant("m_move", "fingerprint_engine.sv", "    if (move) begin\n      m_axis_tdata",
        "    if (chosen != '0) begin\n      m_axis_tdata"),
    mutant("m_all_at_once", "arbiter.sv", "assign candidates = preferred",
        "assign candidates = (&request) ? '0 : preferred"),
    Form { engines: 2, ..mutant("m_top", "simhash_top.sv", ".m_axis_tready(m_axis_tready[e]),",
        ".m_axis_tready(m_axis_tready[0]),") },
];

const fn mutant(
    name: &'static str,
    file: &'static str,
    right: &'static str,
    wrong: &'static str,
) -> Form {
    Form { name, defect: Some(Defect { file, right, wrong }), ..TWO_LEVEL }
}
