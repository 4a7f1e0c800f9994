//! Options, and the three readings of a document: tokens, characters, visible text.

use super::*;

#[cfg(feature = "stem")]
#[test]
fn stop_words_go_before_endings() {
    let options = TextOptions {
        stop_words: vec![StopList::En, StopList::Zh],
        stem: Stem::English,
        ..TextOptions::default()
    };
    // `being` is a stop word; its stem `be` is not looked up.
    let text = "The connections weren't BEING connected: 我的书 connecting";
    assert_eq!(tokens_with(&options, text), ["connect", "connect", "书", "connect"]);
}

#[cfg(feature = "stem")]
#[test]
fn options_that_need_lower_case_refuse_its_absence() {
    let raw = TextOptions { normalise: false, ..TextOptions::default() };
    let stop = TextOptions { stop_words: vec![StopList::De], ..raw.clone() };
    let stem = TextOptions { stem: Stem::German, ..raw };
    assert_eq!(Analyzer::new(&stop).err(), Some(TextError::NeedsNormalise { option: "stop_words" }));
    let error = Analyzer::new(&stem).unwrap_err();
    assert!(error.to_string().contains("set `normalise = true` or remove `stem`"), "{error}");
}

#[test]
fn characters_have_single_blanks_and_no_case() {
    let analyzer = Analyzer::new(&TextOptions::default()).unwrap();
    let mut scratch = Scratch::default();
    let mut check = |text: &str, markup, expected: &str| {
        assert_eq!(analyzer.characters(text, markup, &mut scratch), expected);
    };
    check("  Hello,\t\r\n WORLD!\u{a0} ", Markup::None, "hello, world!");
    check("\u{3000}Ａ\u{ad}Ｂ，\u{2003}Straße\u{301} <b>", Markup::None, "ab, strassé <b>");
    #[cfg(feature = "html")]
    check("<p>Größe&nbsp;A<p>b", Markup::Html, "grösse a b");
    check(" \u{301}x", Markup::None, "\u{301}x");
    check(" \n ", Markup::None, "");
}

#[cfg(feature = "html")]
#[test]
fn the_visible_text_is_not_folded() {
    let analyzer = Analyzer::new(&TextOptions::default()).unwrap();
    assert_eq!(analyzer.visible(" A  ß ", Markup::None), " A  ß ");
    assert_eq!(analyzer.visible("<P>A  &szlig;</P>", Markup::Html), "A ß");
}

#[cfg(feature = "html")]
#[test]
fn the_recipe_may_overrule_the_reader() {
    let visible = |policy, said| {
        let options = TextOptions { markup: policy, ..TextOptions::default() };
        Analyzer::new(&options).unwrap().visible("<b>x</b>", said).into_owned()
    };
    assert_eq!(visible(MarkupPolicy::Html, Markup::None), "x");
    assert_eq!(visible(MarkupPolicy::None, Markup::Html), "<b>x</b>");
    assert_eq!(visible(MarkupPolicy::Auto, Markup::None), "<b>x</b>");
}

#[cfg(feature = "html")]
#[test]
fn a_scratch_remembers_nothing() {
    let analyzer = Analyzer::new(&TextOptions::default()).unwrap();
    let mut scratch = Scratch::default();
    let mut tokens = |text: &str, markup| {
        let mut tokens = Vec::new();
        analyzer.tokens(text, markup, &mut scratch, &mut |token| tokens.push(token.to_owned()));
        tokens
    };
    assert_eq!(tokens("<p>Ünfinished<", Markup::Html), ["ünfinished"]);
    assert_eq!(tokens("\u{301}é", Markup::None), ["é"]);
    assert!(tokens("", Markup::Html).is_empty());
}

#[test]
fn threads_can_share_an_analyzer() {
    fn shared<T: Send + Sync>() {}
    shared::<Analyzer>();
}

#[cfg(feature = "zh")]
#[test]
fn chinese_can_be_cut_into_words_with_their_nouns() {
    let options = TextOptions { han: Han::Word, ..TextOptions::default() };
    let text = "国务院总理李克强调研上海外高桥，iPhone手机ＡＢＣ 東京タワーへ";
    let expected = [
        "国务院",
        "总理",
        "李克强",
        "调研",
        "上海",
        "外高桥",
        "iphone",
        "手机",
        "abc",
        "東京",
        "タ",
        "ワ",
        "ー",
        "へ",
    ];
    assert_eq!(tokens_with(&options, text), expected);
    let analyzer = Analyzer::new(&options).unwrap();
    let mut nouns = vec![];
    analyzer.words(text, Markup::None, &mut Scratch::default(), &mut |word, is_noun| {
        if is_noun {
            nouns.push(word.to_owned());
        }
    });
    assert_eq!(nouns, ["国务院", "总理", "李克强", "上海", "外高桥", "手机", "東京"]);
}

#[cfg(feature = "zh")]
#[test]
fn words_hold_every_character_of_a_long_run() {
    let options = TextOptions { han: Han::Word, ..TextOptions::default() };
    let text = "天地玄黄宇宙洪荒日月盈昃辰宿列张".repeat(1_000);
    assert_eq!(tokens_with(&options, &text).concat(), text);
    assert_eq!(tokens_with(&options, "中\u{301}文").concat(), "中文");
}
