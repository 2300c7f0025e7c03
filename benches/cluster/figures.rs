//! Samples by name, and what is printed of them.

#[derive(Debug, Default)]
pub(crate) struct Figures {
    rows: Vec<(&'static str, Vec<f64>)>,
}

impl Figures {
    /// One more sample of that figure; figures are printed in the order in which they first came.
    pub(crate) fn add(&mut self, name: &'static str, value: f64) {
        match self.rows.iter_mut().find(|(there, _)| *there == name) {
            Some((_, samples)) => samples.push(value),
            None => self.rows.push((name, vec![value])),
        }
    }

    pub(crate) fn print(&self) {
        println!("{:<66} {:>9} {:>9} {:>9}  n", "", "min", "median", "max");
        for (name, samples) in &self.rows {
            let mut sorted = samples.clone();
            sorted.sort_by(f64::total_cmp);
            let (min, max) = (sorted[0], sorted[sorted.len() - 1]);
            let median = median(&sorted);
            let digits = if max >= 1000.0 {
                0
            } else if max >= 100.0 {
                1
            } else {
                3
            };
            println!(
                "{name:<66} {min:>9.digits$} {median:>9.digits$} {max:>9.digits$}  {}",
                sorted.len()
            );
        }
    }
}

/// Of sorted samples.
fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[half]
    } else {
        f64::midpoint(sorted[half - 1], sorted[half])
    }
}
