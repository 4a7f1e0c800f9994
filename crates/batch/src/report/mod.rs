//! The HTML report of a run: one file that explains itself, works from `file://` and needs no
//! network.
//!
//! ```text
//! Report (data)  ->  Page: differences computed, everything within bounds (page, budget)
//!                ->  JSON inside page.html, beside page.css and page.js (embed), which follow
//!                    those of `twindex-page`
//! ```
//!
//! The differences are computed here and not in the browser, so that `compare` on the command line
//! and the report show the same ones, and so that the page's script stays small enough to be read.

mod budget;
mod clusters;
mod data;
mod embed;
pub(crate) mod gather;
mod page;
mod selection;
pub(crate) mod skipped;

pub(crate) use clusters::Clusters;
pub use data::{ClusterRow, Histogram, Mode, PairRow, Report, Scores, Side, StageTime, Totals};

/// The file stays below this, so that it opens at once and can be sent by mail.
pub const FILE_LIMIT: usize = 5_000_000;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The report as one HTML file of less than [`FILE_LIMIT`] bytes.
///
/// Texts are shortened first, then rows of [`Report::pairs`] are dropped from the end; the page
/// says what is missing.
pub fn render(report: &Report) -> String {
    let style = [twindex_page::STYLE, STYLE].concat();
    let script = [twindex_page::SCRIPT, SCRIPT].concat();
    let page = page::Page::new(report, FILE_LIMIT - TEMPLATE.len() - style.len() - script.len() - SLACK);
    let data = embed::script_json(&page);
    // In the order of the file, so that no mark is looked for inside inserted data.
    let parts = [("/* STYLE */", &style), ("/* DATA */", &data), ("/* SCRIPT */", &script)];
    let mut html = String::with_capacity(TEMPLATE.len() + style.len() + data.len() + script.len());
    let mut rest = TEMPLATE;
    for (mark, part) in parts {
        let (before, after) = rest.split_once(mark).expect("page.html has each mark once, in this order");
        html.push_str(before);
        html.push_str(part);
        rest = after;
    }
    html.push_str(rest);
    html
}

/// Brackets and commas that the budget does not count.
const SLACK: usize = 1_000;

#[cfg(test)]
mod tests;
