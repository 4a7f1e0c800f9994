//! Expected tokens of many languages, checked by hand.

use super::{tokens, tokens_with};
use crate::text::TextOptions;

fn check(text: &str, expected: &[&str]) {
    assert_eq!(tokens(text), expected, "{text}");
}

#[test]
fn english() {
    check("Don't PANIC, it's 42!", &["don", "t", "panic", "it", "s", "42"]);
    check(
        "state-of-the-art e-mail: a_b@c.org",
        &["state", "of", "the", "art", "e", "mail", "a", "b", "c", "org"],
    );
}

#[test]
fn german() {
    check("Die STRASSE heißt „Große Straße“.", &["die", "strasse", "heisst", "grosse", "strasse"]);
    check("ẞ", &["ss"]);
}

#[test]
fn french() {
    check("L'ÉTÉ à Nîmes… c’est l’œuvre", &["l", "été", "à", "nîmes", "c", "est", "l", "œuvre"]);
}

#[test]
fn spanish() {
    check("¿Qué pasó, SEÑOR Núñez?", &["qué", "pasó", "señor", "núñez"]);
}

#[test]
fn russian() {
    check("Съешь ещё ЭТИХ мягких булок!", &["съешь", "ещё", "этих", "мягких", "булок"]);
    // й as и and a breve.
    check("мо\u{438}\u{306}", &["мой"]);
}

#[test]
fn greek_with_final_sigma() {
    check("Ὁ ΌΜΗΡΟΣ, ο Όμηρος", &["ὁ", "όμηροσ", "ο", "όμηροσ"]);
    // Iota subscript folds to iota; three characters of folding compose again.
    check("ᾳ ΐ", &["αι", "ΐ"]);
}

#[test]
fn turkish() {
    // The folding of no particular language: İ keeps its dot as a mark inside the word, ı stays
    // dotless.
    check("İstanbul ılık ŞEHİR", &["i\u{307}stanbul", "ılık", "şehi\u{307}r"]);
}

#[test]
fn arabic() {
    check("السَّلامُ عليكم، ١٢٣", &["السَّلامُ", "عليكم", "١٢٣"]);
    // The presentation form of lam with alef is two letters.
    check("\u{fefb}", &["لا"]);
}

#[test]
fn hebrew() {
    check("שָׁלוֹם, עולם־טוב", &["שָׁלוֹם", "עולם", "טוב"]);
    // A letter with its points, composed or not.
    assert_eq!(tokens("\u{fb2a}"), tokens("\u{5e9}\u{5c1}"));
}

#[test]
fn hindi_words_keep_their_viramas() {
    check("हिन्दी में प्रार्थना।", &["हिन्दी", "में", "प्रार्थना"]);
    // Joiners ask for a shape, not for another word.
    check("क्\u{200d}ष क्ष", &["क्ष", "क्ष"]);
}

#[test]
fn bengali_vowels_composed_or_not() {
    check("আমি বাংলায় গান গাই।", &["আমি", "বাংলায\u{9bc}", "গান", "গাই"]);
    // The vowel o, written as one sign or as the two that surround the consonant.
    assert_eq!(tokens("ক\u{9c7}\u{9be}"), tokens("ক\u{9cb}"));
}

#[test]
fn tamil_and_telugu() {
    check("தமிழ் மொழி, தெலுங்கு", &["தமிழ்", "மொழி", "தெலுங்கு"]);
    check("తెలుగు భాష", &["తెలుగు", "భాష"]);
}

#[test]
fn persian_joins_what_a_joiner_parts() {
    // The non-joiner inside می‌خواهم asks for a shape; the word is one.
    check("می\u{200c}خواهم، کتاب", &["میخواهم", "کتاب"]);
}

#[test]
fn polish_czech_and_ukrainian() {
    check("Zażółć GĘŚLĄ jaźń", &["zażółć", "gęślą", "jaźń"]);
    check("Příliš ŽLUŤOUČKÝ kůň", &["příliš", "žluťoučký", "kůň"]);
    check("Її ҐАНОК, п'ять", &["її", "ґанок", "п", "ять"]);
}

#[test]
fn georgian_armenian_and_amharic() {
    // The capitals of Georgian are for headlines only; they fold like any others.
    check("საქართველო ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ", &["საქართველო", "საქართველო"]);
    check("Հայաստան, ԵՐԵՒԱՆ։", &["հայաստան", "երեւան"]);
    check("ሰላም፣ ዓለም።", &["ሰላም", "ዓለም"]);
}

#[test]
fn tibetan_syllables() {
    check("བོད་ཡིག", &["བོད", "ཡིག"]);
}

#[test]
fn thai() {
    check("ภาษาไทย", &["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]);
    // Vowels above and tone marks stay with their consonant; sara am is a mark and a letter.
    check("ที่น้ำ", &["ที่", "น\u{e49}\u{e4d}", "า"]);
}

#[test]
fn chinese() {
    check("我爱北京2008，天安门。", &["我", "爱", "北", "京", "2008", "天", "安", "门"]);
    // A compatibility ideograph, a rare one, a radical that is one.
    check("\u{f900}\u{20000}\u{2f00}", &["豈", "\u{20000}", "一"]);
}

#[test]
fn japanese() {
    check("東京タワーへ、人々は", &["東", "京", "タ", "ワ", "ー", "へ", "人", "々", "は"]);
    // Half width and decomposed kana.
    check("ｶﾞ か\u{3099}", &["ガ", "が"]);
}

#[test]
fn korean_words_are_separated_by_spaces() {
    check("안녕하세요, 세계 여러분!", &["안녕하세요", "세계", "여러분"]);
    // Syllables from their letters.
    check("\u{1112}\u{1161}\u{11ab}", &["한"]);
}

#[test]
fn vietnamese_composed_or_not() {
    check("Tiếng VIỆT", &["tiếng", "việt"]);
    assert_eq!(tokens("Tie\u{302}\u{301}ng Vie\u{323}\u{302}t"), tokens("Tiếng Việt"));
    // The marks in the other order, which only looks the same.
    assert_eq!(tokens("Vie\u{302}\u{323}t"), tokens("Việt"));
}

#[test]
fn khmer_lao_and_burmese() {
    check("ខ្មែរ", &["ខ្", "មែ", "រ"]);
    check("ລາວ", &["ລ", "າ", "ວ"]);
    check("မြန်မာ", &["မြ", "န်", "မာ"]);
}

#[test]
fn compatibility_forms() {
    check("Ｆｕｌｌ　Ｗｉｄｔｈ１２３", &["full", "width123"]);
    check("ﬁnd oﬃce ①② x² ℌ ㎏", &["find", "office", "12", "x2", "h", "kg"]);
}

#[test]
fn mixed_scripts() {
    check("iPhone手机 and Привет世界x", &["iphone", "手", "机", "and", "привет", "世", "界", "x"]);
    check("中é文", &["中", "é", "文"]);
    // Longer than a block of ASCII, and one word all the same.
    check("donaudampfschifffahrtskapitän x", &["donaudampfschifffahrtskapitän", "x"]);
    check("cafe\u{301}中\u{301}a", &["café", "中\u{301}", "a"]);
}

#[test]
fn invisible_characters_do_not_count() {
    check("Donau\u{ad}dampf\u{200b}schiff", &["donaudampfschiff"]);
    check("葛\u{e0100}葛", &["葛", "葛"]);
    check("a\u{feff}b \u{200e}c\u{200f}", &["ab", "c"]);
    // The joiner hid that the two compose.
    check("e\u{200d}\u{301}", &["é"]);
}

#[test]
fn marks_without_a_letter_begin_no_token() {
    check("\u{301}", &[]);
    check(" \u{301}a", &["a"]);
    check("-\u{301}\u{302} 😀\u{fe0f}\u{20e3}", &[]);
}

#[test]
fn controls_and_nothing() {
    check("", &[]);
    check("a\0b\u{7f}c\u{1}", &["a", "b", "c"]);
    check("é\0ü\u{fffd}x\u{10ffff}y", &["é", "ü", "x", "y"]);
}

#[test]
fn as_it_is() {
    let options = TextOptions { normalise: false, ..TextOptions::default() };
    let check = |text: &str, expected: &[&str]| assert_eq!(tokens_with(&options, text), expected, "{text}");
    check("Don't PANIC", &["Don", "t", "PANIC"]);
    check("Straße ﬁ Ａ中\u{fe0f} a\u{ad}b", &["Straße", "ﬁ", "Ａ", "中\u{fe0f}", "a", "b"]);
}
