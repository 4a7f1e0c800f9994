//! Expected tokens, checked by hand.
use super::tokens;

#[test]
fn english() {
    assert_eq!(tokens("Don't PANIC, it's 42!"), ["don", "t", "panic", "it", "s", "42"]);
}
