//! What the two thresholds do, each moved from 0 to 1 while the other stays: as numbers, and as a plot.

use citesieve::quote::Similarity;
use citesieve::{ClosedClaim, Decision, Sources};
use citesieve_judge::{Select, Selection, decide};
use plotters::prelude::*;
use serde::Serialize;

use crate::error::Error;

/// A claim whose similarity with its source is known.
pub(super) struct Measured<'a> {
    pub(super) claim: &'a ClosedClaim,
    /// Whether its source supports it, all of it or a part.
    pub(super) supported: bool,
    pub(super) found: Similarity,
}

/// What happens at one value of the thresholds. Shares are of all cases with a source that has a text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Point {
    /// The value.
    pub(super) threshold: f64,
    /// With `near_verbatim` at it: claims that go to a model.
    asked: f64,
    /// With `near_verbatim` at it: claims that pass as nearly verbatim, and that their source does not support.
    passed_wrongly: f64,
    /// Of the supported claims, those that count as unmatched with `clearly_unsupported` at it.
    supported_unmatched: f64,
    /// Of the others, those that do.
    unsupported_unmatched: f64,
}

/// Steps of the sweep.
const STEPS: usize = 40;

/// The sweep: no model is needed for it.
pub(super) fn sweep(cases: &[Measured<'_>], sources: &Sources, select: &Select) -> Vec<Point> {
    let share = |count: usize, of: usize| if of == 0 { 0.0 } else { count as f64 / of as f64 };
    let supported = cases.iter().filter(|case| case.supported).count();
    let point = |step: usize| {
        let threshold = step as f64 / STEPS as f64;
        let near = Select { near_verbatim: threshold, ..*select };
        let (mut asked, mut wrong) = (0, 0);
        for case in cases {
            match decide(case.claim, &case.found, sources, &near) {
                Selection::Ask { .. } => asked += 1,
                Selection::Words { decision: Decision::NearVerbatim, .. } => wrong += usize::from(!case.supported),
                Selection::Words { .. } | Selection::Skip(_) => {}
            }
        }
        let unmatched = |kind: bool| {
            let kind = cases.iter().filter(|case| case.supported == kind);
            kind.filter(|case| !case.found.verbatim && case.found.value <= threshold).count()
        };
        Point {
            threshold,
            asked: share(asked, cases.len()),
            passed_wrongly: share(wrong, cases.len()),
            supported_unmatched: share(unmatched(true), supported),
            unsupported_unmatched: share(unmatched(false), cases.len() - supported),
        }
    };
    (0..=STEPS).map(point).collect()
}

/// The sweep as an SVG.
pub(super) fn plot(points: &[Point], select: &Select) -> Result<String, Error> {
    let mut svg = String::new();
    draw(points, select, &mut svg).map_err(|error| Error::Usage(format!("the plot cannot be drawn: {error}")))?;
    Ok(svg)
}

type Curve = (&'static str, RGBColor, fn(&Point) -> f64);

const NEAR: [Curve; 2] = [
    ("claims that go to a model", RGBColor(26, 79, 168), |point| point.asked),
    ("passed as nearly verbatim, but not supported", RGBColor(179, 38, 30), |point| point.passed_wrongly),
];

const FAR: [Curve; 2] = [
    ("supported claims that count as unmatched", RGBColor(31, 122, 69), |point| point.supported_unmatched),
    ("other claims that do", RGBColor(109, 58, 168), |point| point.unsupported_unmatched),
];

fn draw(points: &[Point], select: &Select, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (1000, 460)).into_drawing_area();
    root.fill(&WHITE)?;
    let halves = root.split_evenly((1, 2));
    let charts =
        [("near_verbatim", select.near_verbatim, NEAR), ("clearly_unsupported", select.clearly_unsupported, FAR)];
    for (half, (title, now, curves)) in halves.iter().zip(charts) {
        let mut chart = ChartBuilder::on(half)
            .caption(title, ("sans-serif", 18))
            .margin(16)
            .x_label_area_size(34)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
        chart
            .configure_mesh()
            .x_labels(6)
            .y_labels(6)
            .x_desc("threshold on the similarity")
            .y_label_formatter(&|share| format!("{:.0} %", share * 100.0))
            .light_line_style(WHITE)
            .label_style(("sans-serif", 12))
            .draw()?;
        chart
            .draw_series(LineSeries::new([(now, 0.0), (now, 1.0)], BLACK.mix(0.35)))?
            .label(format!("now: {now}"))
            .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], BLACK.mix(0.35)));
        for (label, colour, value) in curves {
            let line = points.iter().map(|point| (point.threshold, value(point)));
            let series = LineSeries::new(line, colour.stroke_width(2));
            chart
                .draw_series(series)?
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperMiddle)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.2))
            .label_font(("sans-serif", 12))
            .draw()?;
    }
    root.present()?;
    Ok(())
}
