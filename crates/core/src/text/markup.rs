//! What does a reader of the page see?
//!
//! HTML becomes its visible text in one streaming pass of a browser-grade tokenizer: no tree is
//! built, so that a hundred thousand nested elements cost no more than as many beside each other.
//!
//! | in the page | in the text |
//! |---|---|
//! | `script`, `style`, `noscript`, `iframe`, `noembed`, `noframes`, `xmp`, `template`, `annotation` | nothing |
//! | comments, doctypes, attributes (`alt` and `title` too) | nothing |
//! | `title`, `textarea`, `option` | their text; the title is the first paragraph |
//! | paragraphs, headings, sections, lists, tables and other blocks | a blank line before and after |
//! | `br`, list items, table rows, terms, options | a line break; two `br` make a blank line |
//! | table cells | a blank |
//! | other elements (`b`, `a`, `span`...) | their text, joined to its surroundings |
//! | entities | decoded once: `&amp;lt;` is `&lt;` |
//! | white space | one blank, except inside `pre` and `textarea` |
//!
//! Where boilerplate does not count, neither does what a page itself declares as such: `nav`,
//! `aside`, `footer` and `menu`, and the landmark roles of accessibility that mean the same.
//! Guessing by density would find more of it and now and then take an article for a sidebar; a
//! page's own word is never wrong about its text.
//!
//! Broken HTML is read as a browser reads it, as far as a browser does that without a tree.

mod element;
mod flow;
mod skipper;

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;

use lol_html::errors::{RewritingError, SelectorError};
use lol_html::html_content::{Element, TextChunk};
use lol_html::{
    DocumentContentHandlers, ElementContentHandlers, HandlerResult, HtmlRewriter, MemorySettings, Selector,
    Settings,
};

use super::Boilerplate;
use element::{BLOCKS, BOILERPLATE, BOILERPLATE_ROLES, CELLS, HIDDEN, LINES, PREFORMATTED};
use flow::{Flow, Gap};

/// The tokenizer remembers open elements, in about a hundred bytes each. A page is read by the
/// second way when this comes to more than this many bytes for each of its own, which takes a page
/// that opens elements and little else.
const MEMORY_PER_BYTE: usize = 16;
/// The memory that any page may use.
const BASE_MEMORY: usize = 1 << 20;
/// The number of elements that may wait for their end tags. A page with more of them nested is an
/// attack or never closes its paragraphs; gaps before elements suffice for it.
const DEEPEST: usize = 10_000;

/// A page of at least this many bytes whose every eighth byte opens a tag is read by the second
/// way: the tokenizer spends far more on a tag and its selectors than on text, and an archive of a
/// few megabytes can unpack to many such pages. What such a page has of text stands in plain tags,
/// on which both ways agree (`both_ways_agree_on_plain_pages`).
const DENSE_PAGE: usize = 1 << 20;
const DENSE_SHARE: usize = 8;

/// Replaces `visible` by the visible text of `html`.
pub(super) fn visible_text(html: &str, boilerplate: Boilerplate, visible: &mut String) {
    let flow = Rc::new(RefCell::new(Flow::new(std::mem::take(visible))));
    let is_parsed = !is_dense(html) && parse(html, boilerplate, &flow).is_ok();
    let mut flow = flow.take();
    if !is_parsed {
        // The page would need too much time or memory. Another reason is not known, but a page must
        // not fail for any.
        flow = Flow::new(flow.finish());
        skipper::skip_tags(html, boilerplate, &mut flow);
    }
    *visible = flow.finish();
}

/// Whether a page is large and little but tags.
fn is_dense(html: &str) -> bool {
    html.len() >= DENSE_PAGE && html.bytes().filter(|byte| *byte == b'<').count() >= html.len() / DENSE_SHARE
}

/// Passes every text and every gap of a page to `flow`.
fn parse(html: &str, boilerplate: Boilerplate, flow: &Rc<RefCell<Flow>>) -> Result<(), RewritingError> {
    let Ok(selectors) = &*SELECTORS else {
        return Err(RewritingError::ContentHandlerError("selectors".into()));
    };
    let settings = Settings::new()
        // Where a tokenizer cannot know what a tree builder would do, it shall guess and not give
        // up.
        .with_strict(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(
            BASE_MEMORY.saturating_add(html.len().saturating_mul(MEMORY_PER_BYTE)),
        ))
        .append_element_content_handler(at_gap(&selectors.blocks, Gap::Block, flow))
        .append_element_content_handler(at_gap(&selectors.lines, Gap::Line, flow))
        .append_element_content_handler(at_gap(&selectors.cells, Gap::Blank, flow))
        .append_element_content_handler((
            Cow::Borrowed(&selectors.line_break),
            ElementContentHandlers::default().element(|_: &mut Element<'_, '_>| -> HandlerResult {
                flow.borrow_mut().break_line();
                Ok(())
            }),
        ))
        .append_element_content_handler((
            Cow::Borrowed(match boilerplate {
                Boilerplate::Keep => &selectors.hidden,
                Boilerplate::Remove => &selectors.hidden_or_boilerplate,
            }),
            ElementContentHandlers::default().text(|chunk: &mut TextChunk<'_>| -> HandlerResult {
                chunk.remove();
                Ok(())
            }),
        ))
        .append_element_content_handler((
            Cow::Borrowed(&selectors.preformatted),
            ElementContentHandlers::default().text(|_: &mut TextChunk<'_>| -> HandlerResult {
                flow.borrow_mut().keep_lines();
                Ok(())
            }),
        ))
        // Runs after the handlers of elements, so that it sees what they said about a chunk.
        .append_document_content_handler(DocumentContentHandlers::default().text(
            |chunk: &mut TextChunk<'_>| -> HandlerResult {
                let mut flow = flow.borrow_mut();
                if !chunk.removed() {
                    flow.text(chunk.as_str(), chunk.text_type().allows_html_entities());
                }
                if chunk.last_in_text_node() {
                    flow.end_text();
                }
                Ok(())
            },
        ));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes())?;
    rewriter.end()
}

/// A handler that leaves a gap before and after each element that matches.
fn at_gap<'a>(
    selector: &'a Selector,
    gap: Gap,
    flow: &Rc<RefCell<Flow>>,
) -> (Cow<'a, Selector>, ElementContentHandlers<'a>) {
    let flow = Rc::clone(flow);
    let handler = move |element: &mut Element<'_, '_>| -> HandlerResult {
        flow.borrow_mut().gap(gap);
        if flow.borrow().waiting < DEEPEST
            && let Some(at_end) = element.end_tag_handlers()
        {
            flow.borrow_mut().waiting += 1;
            let flow = Rc::clone(&flow);
            at_end.push(Box::new(move |_| {
                let mut flow = flow.borrow_mut();
                flow.gap(gap);
                flow.waiting -= 1;
                Ok(())
            }));
        }
        Ok(())
    };
    (Cow::Borrowed(selector), ElementContentHandlers::default().element(handler))
}

static SELECTORS: LazyLock<Result<Selectors, SelectorError>> = LazyLock::new(Selectors::new);

/// The lists of elements as the tokenizer wants them.
struct Selectors {
    blocks: Selector,
    lines: Selector,
    cells: Selector,
    line_break: Selector,
    hidden: Selector,
    hidden_or_boilerplate: Selector,
    preformatted: Selector,
}

impl Selectors {
    fn new() -> Result<Selectors, SelectorError> {
        let any_of = |names: &[&str]| names.join(",").parse();
        Ok(Selectors {
            blocks: any_of(BLOCKS)?,
            lines: any_of(LINES)?,
            cells: any_of(CELLS)?,
            line_break: any_of(&["br"])?,
            hidden: any_of(HIDDEN)?,
            hidden_or_boilerplate: any_of(&[HIDDEN, BOILERPLATE, BOILERPLATE_ROLES].concat())?,
            preformatted: any_of(PREFORMATTED)?,
        })
    }
}

#[cfg(test)]
mod tests;
