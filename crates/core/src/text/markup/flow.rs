//! The visible text as it grows: words, and the gaps between them.

/// The space between two pieces of text. Of several in a row, the widest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Gap {
    /// None: the pieces are joined.
    #[default]
    None,
    /// One blank.
    Blank,
    /// A new line.
    Line,
    /// A blank line.
    Block,
}

impl Gap {
    fn written(self) -> &'static str {
        match self {
            Gap::None => "",
            Gap::Blank => " ",
            Gap::Line => "\n",
            Gap::Block => "\n\n",
        }
    }
}

/// Visible text. A gap is written when text follows it, so that none is left at either end.
#[derive(Debug, Default)]
pub(super) struct Flow {
    visible: String,
    gap: Gap,
    /// The text node so far. It may come in chunks, and an entity may lie across two.
    node: String,
    node_has_entities: bool,
    node_keeps_lines: bool,
    /// How many elements wait for their end tag to leave a gap there.
    pub(super) waiting: usize,
}

impl Flow {
    /// An empty flow that writes into `buffer`.
    pub(super) fn new(mut buffer: String) -> Flow {
        buffer.clear();
        Flow { visible: buffer, ..Flow::default() }
    }

    /// The next text leaves at least this gap.
    pub(super) fn gap(&mut self, gap: Gap) {
        self.end_text();
        self.gap = self.gap.max(gap);
    }

    /// A line ends here; the second in a row leaves a blank line.
    pub(super) fn break_line(&mut self) {
        self.end_text();
        self.gap = if self.gap >= Gap::Line { Gap::Block } else { Gap::Line };
    }

    /// The text node that begins or goes on here is shown with its own line breaks.
    pub(super) fn keep_lines(&mut self) {
        self.node_keeps_lines = true;
    }

    /// A chunk of a text node.
    pub(super) fn text(&mut self, chunk: &str, has_entities: bool) {
        self.node.push_str(chunk);
        self.node_has_entities = has_entities;
    }

    /// The text node is complete.
    pub(super) fn end_text(&mut self) {
        let node = std::mem::take(&mut self.node);
        if self.node_has_entities && node.contains('&') {
            self.write(&htmlize::unescape(node.as_str()));
        } else {
            self.write(&node);
        }
        self.node = node;
        self.node.clear();
        self.node_keeps_lines = false;
    }

    /// The whole text.
    pub(super) fn finish(mut self) -> String {
        self.end_text();
        self.visible
    }

    fn write(&mut self, text: &str) {
        if self.node_keeps_lines {
            return self.piece(text);
        }
        // A single blank between two words is as it should be: pieces are longer than words.
        let bytes = text.as_bytes();
        let is_blank = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_whitespace);
        let mut start = 0;
        let mut at = 0;
        while at < bytes.len() {
            if !is_blank(at) {
                at += 1;
            } else if bytes[at] == b' ' && at > start && at + 1 < bytes.len() && !is_blank(at + 1) {
                at += 2;
            } else {
                self.piece(&text[start..at]);
                while is_blank(at) {
                    at += 1;
                }
                self.gap = self.gap.max(Gap::Blank);
                start = at;
            }
        }
        self.piece(&text[start..]);
    }

    fn piece(&mut self, piece: &str) {
        if !piece.is_empty() {
            if !self.visible.is_empty() {
                self.visible.push_str(self.gap.written());
            }
            self.gap = Gap::None;
            self.visible.push_str(piece);
        }
    }
}
