//! Figure 3: how many flips find a pair, by volatility and at random.

use serde::Deserialize;
use twindex_core::fingerprint::Margins;
use twindex_core::search::psm::Volatility;
use twindex_core::search::psm::vosh::Vosh;

use super::RADIUS;
use super::corpus::Corpus;
use super::generator::Generator;
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::plot::{Axis, Plot, Series};
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    /// Generated pairs of each distance.
    pairs: usize,
    recalls: Vec<f64>,
}

/// Any number.
const SEED: u64 = 43;

/// Bits that the heap of the library orders.
const HEAP_BITS: usize = 32;

/// Pairs whose place is compared with the library's heap.
const CHECKED: usize = 50;

/// A document and a near-duplicate at a known distance.
type Pair = (Margins, u64);

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { pairs, recalls } = definition.parameters(setting.size)?;
    let corpus = setting.corpus()?;
    let mut outcome = Outcome::default();
    let random_pairs = corpus.margins.iter().zip(&corpus.margins[corpus.margins.len() / 2..]);
    let volatility = Volatility::sample(random_pairs);
    let near = corpus.families.iter().map(|(one, alike)| (&corpus.margins[*one], &corpus.margins[alike[0]]));
    let trained = Volatility::sample(near);
    let mut table = Table::new(
        "Flips that find a share of the pairs. `random`: that share of all sets",
        &[
            "pairs at distance",
            "share",
            "random",
            "by volatility",
            "times fewer",
            "real pairs",
            "Y of near-duplicates",
        ],
    );
    let mut curves = vec![];
    let mut equal = true;
    for distance in 1..=RADIUS {
        let generated = generated(corpus, distance, pairs);
        let real = real(corpus, distance);
        equal &= generated.iter().take(CHECKED).all(|pair| heap_agrees(pair, &volatility, distance));
        let places = |pairs: &[Pair], volatility: &Volatility| {
            let mut places: Vec<usize> = pairs.iter().map(|pair| place(pair, volatility, distance)).collect();
            places.sort_unstable();
            places
        };
        let (ours, of_real) = (places(&generated, &volatility), places(&real, &volatility));
        let near = places(&generated, &trained);
        let sets = binomial(64, distance);
        for &recall in &recalls {
            let at = |places: &[usize]| match places.len() {
                0 => f64::NAN,
                count => places[((recall * count as f64).ceil() as usize).clamp(1, count) - 1] as f64,
            };
            let random = recall * sets;
            let name = format!("h = {distance}, {} %", number(recall * 100.0));
            outcome.figure(format!("{name}: times fewer"), random / at(&ours));
            outcome.figure(format!("{name}: flips"), at(&ours));
            let or_dash = |value: f64| if value.is_nan() { "-".to_owned() } else { number(value) };
            table.row([
                distance.to_string(),
                format!("{} %", number(recall * 100.0)),
                number(random),
                number(at(&ours)),
                number(random / at(&ours)),
                or_dash(at(&of_real)),
                number(at(&near)),
            ]);
        }
        outcome.figure(format!("h = {distance}: found by the first flip"), share(&ours, 1));
        if distance == 1 {
            outcome.figure("h = 1: found by four flips", share(&ours, 4));
        }
        outcome.note(format!(
            "Distance {distance}: {} real pairs, {} generated ones.",
            real.len(),
            generated.len()
        ));
        curves.push(Series::ours(format!("h = {distance}, volatility"), cumulative(&ours)));
        curves.push(Series::paper(
            format!("h = {distance}, random"),
            (1..=20).map(|part| (sets * f64::from(part) / 20.0, f64::from(part) / 20.0)).collect(),
        ));
    }
    outcome.tables.push(table);
    outcome.plots.push(Plot {
        file: "found".to_owned(),
        title: "Share of pairs found by k flips".to_owned(),
        x: Axis::log("flips k"),
        y: Axis::linear("share found"),
        series: curves,
    });
    outcome.check("places equal those of the library's heap", equal);
    Ok(outcome)
}

fn generated(corpus: &Corpus, distance: u32, count: usize) -> Vec<Pair> {
    // Most near-duplicates are at another distance: tries for each wanted pair.
    const TRIES: u64 = 400;
    let generator = Generator::new(corpus, SEED);
    let mut pairs = vec![];
    for number in 0..count as u64 * TRIES {
        if pairs.len() == count {
            break;
        }
        let family = generator.family(number);
        let (one, other) = (&family[0], family[1].simhash());
        if one.simhash().distance(other) == distance {
            pairs.push((one.clone(), other.0));
        }
    }
    pairs
}

fn real(corpus: &Corpus, distance: u32) -> Vec<Pair> {
    let pairs = corpus.families.iter().flat_map(|(one, alike)| alike.iter().map(move |other| (*one, *other)));
    pairs
        .map(|(one, other)| (corpus.margins[one].clone(), corpus.margins[other].simhash()))
        .filter(|(margins, other)| margins.simhash().distance(*other) == distance)
        .map(|(margins, other)| (margins, other.0))
        .collect()
}

/// The place of a pair's set of flips among all sets of its size, the likeliest first.
fn place(pair: &Pair, volatility: &Volatility, distance: u32) -> usize {
    let (sorted, target) = sorted_odds(pair, volatility);
    1 + likelier(&sorted, distance, target + ROUNDING)
}

/// Sums of the same numbers in another order may differ in the last digits.
const ROUNDING: f64 = 1e-9;

/// The log odds of all bits, descending, and the sum of those that the pair flips.
fn sorted_odds((margins, other): &Pair, volatility: &Volatility) -> ([f64; 64], f64) {
    let mut odds = volatility.probabilities(margins).map(|p| (p / (1.0 - p)).ln());
    let flipped = margins.simhash().0 ^ other;
    let target = (0..64).filter(|bit| flipped >> bit & 1 == 1).map(|bit| odds[bit]).sum();
    odds.sort_unstable_by(|a, b| b.total_cmp(a));
    (odds, target)
}

/// How many sets of `size` of the odds, which descend, have a larger sum.
fn likelier(odds: &[f64], size: u32, sum: f64) -> usize {
    if size == 1 {
        return odds.partition_point(|odds| *odds > sum);
    }
    (0..odds.len())
        // Even the next ones together are too unlikely: so are all later sets.
        .take_while(|&first| odds[first..].iter().take(size as usize).sum::<f64>() > sum)
        .map(|first| likelier(&odds[first + 1..], size - 1, sum - odds[first]))
        .sum()
}

/// Whether the library's heap over the likeliest bits visits the set at its place among them, if it
/// has all of the set's bits.
fn heap_agrees(pair: &Pair, volatility: &Volatility, distance: u32) -> bool {
    let (margins, other) = pair;
    let probabilities = volatility.probabilities(margins);
    let mut bits: Vec<usize> = (0..64).collect();
    bits.sort_by(|a, b| probabilities[*b].total_cmp(&probabilities[*a]));
    bits.truncate(HEAP_BITS);
    let flipped = margins.simhash().0 ^ other;
    let is_flipped = |rank: &usize| flipped >> bits[*rank] & 1 == 1;
    let ranks = (0..HEAP_BITS).filter(is_flipped).fold(0, |mask, rank| mask | 1u32 << rank);
    if ranks.count_ones() != distance {
        return true;
    }
    let mut heap = Vosh::default();
    heap.restart(&bits.iter().map(|bit| probabilities[*bit]).collect::<Vec<f64>>(), distance as usize);
    let mut sets = heap.filter(|set| set.count_ones() == distance);
    let (sorted, target) = sorted_odds(pair, volatility);
    // Sets that are equally likely may come in any order.
    let before = likelier(&sorted[..HEAP_BITS], distance, target + ROUNDING);
    let through = likelier(&sorted[..HEAP_BITS], distance, target - ROUNDING);
    sets.position(|set| set == ranks).is_some_and(|place| (before..through).contains(&place))
}

fn binomial(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

fn share(places: &[usize], flips: usize) -> f64 {
    places.partition_point(|place| *place <= flips) as f64 / places.len().max(1) as f64
}

fn cumulative(places: &[usize]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = vec![];
    for (number, &place) in places.iter().enumerate() {
        let point = (place as f64, (number + 1) as f64 / places.len() as f64);
        match points.last_mut() {
            Some(last) if last.0 == point.0 => *last = point,
            _ => points.push(point),
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likelier_sets_are_counted() {
        let odds = [-1.0, -2.0, -3.0, -4.0];
        let brute = |sum: f64| {
            let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b)));
            pairs.filter(|(a, b)| odds[*a] + odds[*b] > sum).count()
        };
        for sum in [-3.5, -4.5, -5.5, -10.0, 0.0] {
            assert_eq!(likelier(&odds, 2, sum), brute(sum), "{sum}");
        }
        assert_eq!((binomial(64, 1), binomial(64, 3)), (64.0, 41664.0));
    }
}
