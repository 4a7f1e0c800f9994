//! A line plot as SVG. The vertical axis goes from 0 to 1, as shares do.

use std::fmt::Write as _;

pub(super) struct Plot<'a> {
    pub(super) name: &'a str,
    pub(super) x_name: &'a str,
    /// The ends of the horizontal axis.
    pub(super) x: (f64, f64),
    /// A vertical line.
    pub(super) mark: Option<f64>,
    pub(super) lines: Vec<Line<'a>>,
}

pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    /// The class that gives it its colour.
    pub(super) class: &'a str,
    pub(super) points: Vec<(f64, f64)>,
}

/// Units of the drawing, which the page scales.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 40.0;
const TICKS: usize = 4;

impl Plot<'_> {
    pub(super) fn svg(&self) -> String {
        let mut out =
            format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">", self.name);
        self.axes(&mut out);
        if let Some(mark) = self.mark {
            let x = self.across(mark);
            let _ = write!(
                out,
                "<line class=\"mark\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>",
                down(0.0)
            );
        }
        for (number, line) in self.lines.iter().enumerate() {
            let points: Vec<String> =
                line.points.iter().map(|&(x, y)| format!("{:.1},{:.1}", self.across(x), down(y))).collect();
            let _ = write!(out, "<polyline class=\"{}\" points=\"{}\"/>", line.class, points.join(" "));
            for &(x, y) in &line.points {
                let _ = write!(
                    out,
                    "<circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"><title>{}: {y:.3} at {x:.2}</title></circle>",
                    line.class,
                    self.across(x),
                    down(y),
                    line.name
                );
            }
            let legend = LEFT + 190.0 * number as f64;
            let _ = write!(
                out,
                "<rect class=\"{}\" x=\"{legend}\" y=\"7\" width=\"14\" height=\"4\"/><text x=\"{:.0}\" y=\"13\">{}</text>",
                line.class,
                legend + 20.0,
                line.name
            );
        }
        out.push_str("</svg>");
        out
    }

    fn axes(&self, out: &mut String) {
        for tick in 0..=TICKS {
            let part = tick as f64 / TICKS as f64;
            let (x, y) = (self.x.0 + part * (self.x.1 - self.x.0), down(part));
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"right\" x=\"{:.1}\" y=\"{:.1}\">{part:.2}</text>\
                 <text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                self.across(x),
                HEIGHT - BOTTOM + 16.0,
                number(x)
            );
        }
        let _ = write!(
            out,
            "<text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 6.0,
            self.x_name
        );
    }

    fn across(&self, x: f64) -> f64 {
        let (from, to) = self.x;
        LEFT + (x - from) / (to - from).max(f64::MIN_POSITIVE) * (WIDTH - LEFT - RIGHT)
    }
}

fn down(y: f64) -> f64 {
    TOP + (1.0 - y) * (HEIGHT - TOP - BOTTOM)
}

/// Few decimals, and none where there are none.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_suffix(".00").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_lie_on_the_corners() {
        let plot = Plot {
            name: "n",
            x_name: "x",
            x: (0.0, 16.0),
            mark: None,
            lines: vec![Line { name: "l", class: "first", points: vec![(0.0, 0.0), (16.0, 1.0)] }],
        };
        let svg = plot.svg();
        assert!(svg.contains("points=\"44.0,260.0 704.0,28.0\""), "{svg}");
        assert!(svg.ends_with("</svg>"));
    }

    #[test]
    fn ticks_are_short() {
        assert_eq!([0.0, 0.25, 16.0].map(number), ["0", "0.25", "16"]);
    }
}
