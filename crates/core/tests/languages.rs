//! Near-duplicates in scripts without spaces, with the default recipe and no other option.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use twindex_core::kernel::Kernel;
use twindex_core::{Digests, Engine, EngineScratch, Markup, Recipe};

/// 200 characters, punctuation included.
const CHINESE: &str = "清晨的第一班渡轮离开码头时，江面上浮着一层薄雾。船长老周在这条航线上干了三十一年，闭着眼睛也知道哪里有暗礁，\
    哪里水流最急。他说年轻时船上总是挤满了挑着蔬菜进城的农民，如今乘客大多是带着相机的游客，偶尔有几个去对岸上学的孩子。桥修好以后，\
    公司曾经打算取消渡轮，附近的居民写了一封长信，最后市政府决定保留早晚两班。老周把那封信的复印件贴在驾驶室的墙上，\
    每天开船之前都要看上一眼，然后才拉响汽笛，驶进雾里。";

const JAPANESE: &str = "朝いちばんの渡し船が岸を離れるころ、川の上にはまだ薄い霧がかかっていた。船長はこの航路で三十年以上働いており、\
    どこに岩があり、どこで流れが速くなるかを目を閉じていても知っている。昔は野菜を背負った農家の人々でいっぱいだったが、\
    今では観光客と、対岸の学校へ通う子どもたちが数人乗るだけである。";

const THAI: &str = "เรือข้ามฟากเที่ยวแรกออกจากท่าในเวลาเช้าตรู่ขณะที่หมอกบางยังลอยอยู่เหนือแม่น้ำ กัปตันทำงานบนเส้นทางนี้มากว่าสามสิบปี \
    แม้หลับตาก็ยังรู้ว่าตรงไหนมีโขดหินและตรงไหนน้ำเชี่ยวที่สุด สมัยก่อนเรือแน่นไปด้วยชาวสวนที่นำผักเข้าเมือง";

/// Whether the search proposes the two and the rule accepts them.
fn is_found(recipe: &Recipe, left: &str, right: &str) -> bool {
    let engine = Engine::new(recipe, Kernel::best()).unwrap();
    let scratch = &mut EngineScratch::default();
    let [(a, evidence_a), (b, evidence_b)] = [left, right].map(|text| {
        let mut digests = Digests::default();
        let evidence = engine.digest_and_evidence(text, Markup::None, scratch, &mut digests);
        (digests.fingerprints, evidence)
    });
    engine.proposes(&engine.read(&a), &engine.read(&b))
        && engine.verifier().accept(&evidence_a, &evidence_b).is_some()
}

/// The text with another character in place of its `at`th.
fn edited(text: &str, at: usize, other: char) -> String {
    text.chars().enumerate().map(|(number, character)| if number == at { other } else { character }).collect()
}

#[test]
fn an_edit_of_one_character_is_found_wherever_it_is() {
    assert_eq!(CHINESE.chars().count(), 200);
    let recipe = Recipe::default();
    for (text, other) in [(CHINESE, '龘'), (JAPANESE, '鬱'), (THAI, 'ฬ')] {
        for at in (0..text.chars().count()).step_by(7) {
            assert!(is_found(&recipe, text, &edited(text, at, other)), "character {at} of {text}");
        }
    }
}

#[test]
fn different_short_sentences_are_no_duplicates() {
    let sentences = [
        "今天天气很好。",
        "今天我去上学。",
        "他昨天买了一本书。",
        "她昨天卖了一辆车。",
        "会议将于下午三点开始。",
        "比赛将于晚上八点结束。",
        "今日はいい天気です。",
        "今日は学校へ行きます。",
        "วันนี้อากาศดีมาก",
        "วันนี้ฉันไปโรงเรียน",
    ];
    for preset in ["default", "simhash", "article"] {
        let recipe = Recipe::preset(preset).unwrap();
        for (number, left) in sentences.iter().enumerate() {
            for right in &sentences[number + 1..] {
                assert!(!is_found(&recipe, left, right), "{preset}: {left} {right}");
            }
            assert!(is_found(&recipe, left, left), "{preset}: {left} and itself");
        }
    }
}

#[test]
fn different_long_texts_are_no_duplicates() {
    assert!(!is_found(&Recipe::default(), CHINESE, JAPANESE));
    let backwards: String = CHINESE.chars().rev().collect();
    assert!(!is_found(&Recipe::default(), CHINESE, &backwards), "the same characters in another order");
}
