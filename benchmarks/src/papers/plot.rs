//! Curves as SVG: a few lines, two axes, a legend. No library draws so little in so few bytes, and
//! the same figures always give the same file.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::page::number;

/// Curves over one pair of axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// Added to the name of the experiment for the name of the file.
    pub file: String,
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What it measures, with the unit.
    pub label: String,
    /// Whether equal steps are equal factors.
    pub log: bool,
}

/// A curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Whether it is the paper's: drawn dashed.
    pub paper: bool,
    /// Its points, by x.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
/// Room for labels: left, right (the legend), top, bottom.
const LEFT: f64 = 72.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 48.0;

/// Told apart without red and green.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// Labels on an axis, about.
const TICKS: f64 = 6.0;

impl Axis {
    /// An axis with equal steps.
    pub fn linear(label: &str) -> Self {
        Axis { label: label.to_owned(), log: false }
    }

    /// A logarithmic axis.
    pub fn log(label: &str) -> Self {
        Axis { label: label.to_owned(), log: true }
    }
}

impl Series {
    /// A measured curve.
    pub fn ours(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Series { name: name.into(), paper: false, points }
    }

    /// Points that a paper prints.
    pub fn paper(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Series { name: name.into(), paper: true, points }
    }
}

/// An axis with its range in pixels.
struct Scale<'a> {
    axis: &'a Axis,
    low: f64,
    high: f64,
    pixels: (f64, f64),
}

impl<'a> Scale<'a> {
    fn new(axis: &'a Axis, values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        let usable = values.filter(|value| value.is_finite() && (!axis.log || *value > 0.0));
        let (mut low, mut high) =
            usable.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        if axis.log {
            (low, high) = (low / 1.1, high * 1.1);
        } else {
            // From zero, unless the values are far from it.
            if low > 0.0 && low < high / 2.0 {
                low = 0.0;
            }
            if low == high {
                high += 1.0;
            }
        }
        Scale { axis, low, high, pixels }
    }

    fn share(&self, value: f64) -> f64 {
        if self.axis.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    fn place(&self, value: f64) -> f64 {
        self.pixels.0 + (self.pixels.1 - self.pixels.0) * self.share(value)
    }

    fn has(&self, value: f64) -> bool {
        value.is_finite() && (!self.axis.log || value > 0.0)
    }

    fn ticks(&self) -> Vec<f64> {
        if !self.axis.log {
            let rough = (self.high - self.low) / TICKS;
            let power = 10f64.powf(rough.log10().floor());
            let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
            let step = step.into_iter().find(|step| *step >= rough).unwrap_or(power);
            let first = (self.low / step).ceil() as i64;
            return (first..)
                .map(|count| count as f64 * step)
                .take_while(|tick| *tick <= self.high)
                .collect();
        }
        let decades = (self.high / self.low).log10();
        let factors: &[f64] = match decades {
            ..2.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let step = (decades / TICKS).ceil().max(1.0) as i32;
        let powers = (self.low.log10().floor() as i32..=self.high.log10().ceil() as i32)
            .filter(|power| power.rem_euclid(step) == 0);
        let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
        all.filter(|tick| *tick >= self.low && *tick <= self.high).collect()
    }
}

impl Plot {
    /// The picture.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let x = Scale::new(&self.x, points().map(|point| point.0), (LEFT, right));
        let y = Scale::new(&self.y, points().map(|point| point.1), (bottom, TOP));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{}</text>\n",
            escaped(&self.title)
        );
        for tick in x.ticks() {
            let at = x.place(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 16.0,
                number(tick)
            );
        }
        for tick in y.ticks() {
            let at = y.place(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                number(tick)
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#333\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 10.0,
            escaped(&self.x.label),
            (TOP + bottom) / 2.0,
            escaped(&self.y.label)
        );
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let dash = if series.paper { " stroke-dasharray=\"6 4\"" } else { "" };
            let drawn: Vec<_> = series.points.iter().filter(|(a, b)| x.has(*a) && y.has(*b)).collect();
            let path = drawn.iter().map(|(a, b)| format!("{:.1} {:.1}", x.place(*a), y.place(*b)));
            let path = path.collect::<Vec<_>>().join("L");
            if !path.is_empty() {
                let _ = writeln!(
                    svg,
                    "<path d=\"M{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>"
                );
            }
            // Points of dense curves would hide them.
            if drawn.len() <= MOST_MARKED {
                for (a, b) in &drawn {
                    let _ = writeln!(
                        svg,
                        "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                        x.place(*a),
                        y.place(*b)
                    );
                }
            }
            let line = TOP + 10.0 + 18.0 * number as f64;
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {line:.1}h22\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                right + 10.0,
                right + 38.0,
                line + 4.0,
                escaped(&series.name)
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Curves with more points have no marks.
const MOST_MARKED: usize = 24;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(axis: Axis, points: Vec<(f64, f64)>) -> Plot {
        let series = vec![Series::ours("a < b", points), Series::paper("printed", vec![])];
        Plot { file: "x".into(), title: "t".into(), x: Axis::linear("n"), y: axis, series }
    }

    #[test]
    fn every_point_lies_inside() {
        for axis in [Axis::linear("y"), Axis::log("y")] {
            let svg = plot(axis, vec![(1.0, 0.001), (2.0, 1e6), (3.0, 20.0)]).svg();
            let places = |name: &str| -> Vec<f64> {
                let start = format!("{name}=\"");
                let parts = svg.match_indices(&start).map(|(at, _)| &svg[at + start.len()..]);
                parts.map(|rest| rest[..rest.find('"').unwrap()].parse().unwrap()).collect()
            };
            assert_eq!(places("cx").len(), 3);
            assert!(places("cx").iter().all(|x| (LEFT..=WIDTH - RIGHT).contains(x)), "{svg}");
            assert!(places("cy").iter().all(|y| (TOP..=HEIGHT - BOTTOM).contains(y)), "{svg}");
            assert!(svg.contains("a &lt; b"));
        }
    }

    #[test]
    fn logarithmic_axes_leave_out_what_they_cannot_show() {
        let svg = plot(Axis::log("y"), vec![(1.0, 0.0), (2.0, 10.0)]).svg();
        assert_eq!(svg.matches("<circle").count(), 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn ticks_are_round_and_in_range() {
        let axis = Axis::linear("y");
        let scale = Scale::new(&axis, [0.0, 97.0].into_iter(), (0.0, 1.0));
        assert_eq!(scale.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0]);
        let axis = Axis::log("y");
        let scale = Scale::new(&axis, [2.0, 3e7].into_iter(), (0.0, 1.0));
        assert!(scale.ticks().iter().all(|tick| (1.0..4e7).contains(tick)) && scale.ticks().len() > 2);
    }
}
