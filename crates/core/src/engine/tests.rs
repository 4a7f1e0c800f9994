use super::*;
use crate::feature::NamedFeatures;
use crate::recipe::PRESETS;

#[test]
fn both_at_once_equal_each_alone() {
    for preset in PRESETS {
        let recipe = Recipe::preset(preset.name).unwrap();
        let engine = Engine::new(&recipe, Kernel::best()).unwrap();
        let scratch = &mut EngineScratch::default();
        for text in ["", "!", "one", "Red green blue, red green blue; white.", "天地玄黄，宇宙洪荒。"]
        {
            let (mut both, mut alone) = (Digests::default(), Digests::default());
            let evidence = engine.digest_and_evidence(text, Markup::None, scratch, &mut both);
            engine.digests([(text, Markup::None)], scratch, &mut alone);
            assert_eq!(both, alone, "{} {text}", preset.name);
            assert_eq!(evidence, engine.evidence(text, Markup::None, scratch));
            assert_eq!(alone.features[0] > 0, !evidence.features.is_empty());
        }
    }
}

fn engine(toml: &str) -> Engine {
    Engine::new(&Recipe::from_toml(toml).unwrap(), Kernel::best()).unwrap()
}

fn simhash_with(weight: &str) -> Engine {
    engine(&format!(
        "method = \"simhash\"\n[simhash]\nweight = \"{weight}\"\n[feature]\nweight = \"{weight}\"\n[rule]\nmeasure = \"cosine\""
    ))
}

/// Whatever weighs them, the fingerprints of a batch are the signs of the margins of its documents.
#[test]
fn fingerprints_are_the_signs_of_margins() {
    let documents = ["the cat sat on the mat and the dog", "", "天地玄黄，宇宙洪荒。", "one"];
    for weight in ["count", "one", "normalised", "tf-idf", "length-noun"] {
        let mut engine = simhash_with(weight);
        let scratch = &mut EngineScratch::default();
        let counter = FrequencyCounter::default();
        documents.iter().for_each(|text| engine.count_terms(text, Markup::None, scratch, &counter));
        let frequencies = counter.finish();
        assert_eq!(frequencies.documents(), if weight == "tf-idf" { 3 } else { 0 });
        engine.set_frequencies(Arc::new(frequencies));
        let mut digests = Digests::default();
        let batch = documents.iter().map(|text| (*text, Markup::None));
        engine.digests(batch, scratch, &mut digests);
        assert!(digests.features.iter().map(|&count| count > 0).eq([true, false, true, true]));
        for (text, stored) in documents.iter().zip(digests.fingerprints.chunks_exact(8)) {
            if let Some(margins) = engine.margins(text, Markup::None, scratch) {
                assert_eq!(margins.simhash().0.to_le_bytes(), stored, "{weight} {text}");
            }
        }
    }
}

/// Two documents that share a rare word are more alike for tf-idf than two that share a common one.
#[test]
fn rare_words_decide_the_weighted_cosine() {
    let mut engine = simhash_with("tf-idf");
    let scratch = &mut EngineScratch::default();
    let counter = FrequencyCounter::default();
    for number in 0..100 {
        engine.count_terms(&format!("common word{number}"), Markup::None, scratch, &counter);
    }
    let cosine = |engine: &Engine, left, right| {
        let scratch = &mut EngineScratch::default();
        let [a, b] = [left, right].map(|text| engine.evidence(text, Markup::None, scratch));
        engine.verifier().verdict(&a, &b).measured.cosine
    };
    assert_eq!(cosine(&engine, "common one", "common two"), 0.5, "nothing is known yet");
    engine.set_frequencies(Arc::new(counter.finish()));
    assert!(cosine(&engine, "common one", "common two") < 0.1);
    assert!(cosine(&engine, "common rare", "other rare") > 0.5);
}

#[test]
fn long_words_move_the_fingerprint() {
    let scratch = &mut EngineScratch::default();
    let text = "a bb cc dd elephants ff gg hh";
    let margins = simhash_with("length-noun").margins(text, Markup::None, scratch).unwrap();
    let long = WordHash::default().hash(b"elephants");
    // Eight words of one occurrence each, one of them worth two: its vote never weighs less.
    let plain = simhash_with("normalised").margins(text, Markup::None, scratch).unwrap();
    for (bit, (with, without)) in margins.0.iter().zip(plain.0).enumerate() {
        let vote = if long >> bit & 1 == 1 { 1 } else { -1 };
        // The greatest weight is 1 in both: all others weigh half as much beside the long word.
        assert_eq!(2 * with, without + vote * 32768, "bit {bit}");
    }
}

#[test]
fn own_features_have_weights_and_no_order() {
    let features = |list: &[(&str, f64)]| NamedFeatures::new(list.iter().copied()).unwrap().to_text();
    let a = features(&[("https://a.example/", 3.0), ("tag:news", 1.0), ("Person: Ada", 0.5)]);
    let b = features(&[("Person: Ada", 0.5), ("tag:news", 1.0), ("https://a.example/", 3.0)]);
    let c = features(&[("https://b.example/", 3.0), ("tag:news", 1.0)]);
    let scratch = &mut EngineScratch::default();
    for preset in PRESETS {
        let engine = Engine::new(&Recipe::preset(preset.name).unwrap(), Kernel::best()).unwrap();
        let mut digests = Digests::default();
        let documents = [&a, &b, &c].map(|text| (text.as_str(), Markup::Features));
        let mixed =
            [documents[0], ("plain words", Markup::None), documents[1], documents[2], ("", Markup::Features)];
        engine.digests(mixed, scratch, &mut digests);
        assert!(digests.features.iter().map(|&count| count > 0).eq([true, true, true, true, false]));
        let [left, right] = [0, 2].map(|document| engine.read(digests.fingerprint(document)));
        assert!(engine.proposes(&left, &right), "{}", preset.name);
        assert_eq!(digests.len(), 5);
        let [a, c] = [&a, &c].map(|text| engine.evidence(text, Markup::Features, scratch));
        assert_eq!((a.features.len(), c.features.len()), (3, 2), "each feature is one");
        assert_eq!(engine.verifier().verdict(&a, &c).measured.overlap.jaccard(), 0.25);
    }
    // The heaviest feature wins every vote against the others together.
    let engine = simhash_with("count");
    let margins = engine.margins(&a, Markup::Features, scratch).unwrap();
    assert_eq!(margins.simhash().0, WordHash::default().hash(b"https://a.example/"));
    assert!(engine.margins("", Markup::Features, scratch).is_none());
}

#[test]
fn digests_of_two_recipes_do_not_mix() {
    let digests = |recipe: &Recipe| {
        let mut digests = Digests::default();
        let engine = Engine::new(recipe, Kernel::best()).unwrap();
        engine.digests([("one two three", Markup::None)], &mut EngineScratch::default(), &mut digests);
        digests
    };
    let own = Recipe { name: "another name".to_owned(), ..Recipe::default() };
    let mut column = digests(&Recipe::default());
    column.append(&digests(&own)).unwrap();
    assert_eq!((column.len(), column.fingerprint(0)), (2, column.fingerprint(1)));
    let before = column.clone();
    let mut other = Recipe::default();
    other.feature.size = 2;
    assert!(column.append(&digests(&other)).is_err());
    assert_eq!(column, before);
}
