//! Table IV: both stages together, from the figures of Tables II and III.

use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::record::{Outcome, Table};

const NAMES: [&str; 3] = ["Wikipedia", "TREC", "Twitter"];

pub(in crate::papers) fn run(setting: &Setting) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut table = Table::new(
        "Seconds; the plain search is a query of every fingerprint to four sorted tables, the fast one our join",
        &[
            "",
            "plain fingerprints",
            "fast fingerprints",
            "simulated engines",
            "plain search",
            "fast search",
            "fast : fast",
            "engines : fast",
        ],
    );
    for name in NAMES {
        let stage_one = |figure: &str| setting.figure("fpga-table-2", &format!("{name}: {figure}"));
        let (plain, fast) = (stage_one("seconds of the plain loop")?, stage_one("seconds")?);
        let engines = stage_one("seconds of the simulated engines")?;
        let search = setting.figure("fpga-table-3", &format!("{name}: seconds"))?;
        let plain_search = setting.optional("fpga-table-3", &format!("{name}: seconds with four tables"))?;
        outcome.figure(format!("{name}: stage one / stage two"), fast / search);
        outcome.figure(format!("{name}: seconds"), fast + search);
        outcome.figure(format!("{name}: seconds with the simulated engines"), engines + search);
        if let Some(plain_search) = plain_search {
            let before = plain + plain_search;
            outcome.figure(format!("{name}: plain seconds"), before);
            outcome.figure(format!("{name}: plain stage one / stage two"), plain / plain_search);
            // What the paper changed: the first stage alone.
            let saved = |after: f64| 100.0 * (1.0 - after / before);
            outcome.figure(format!("{name}: saved by stage one"), saved(fast + plain_search));
            outcome.figure(format!("{name}: saved by both"), saved(fast + search));
        }
        table.row([
            name.to_owned(),
            number(plain),
            number(fast),
            number(engines),
            plain_search.map_or("-".to_owned(), number),
            number(search),
            format!("{} : 1", number(fast / search)),
            format!("{} : 1", number(engines / search)),
        ]);
    }
    outcome.tables.push(table);
    Ok(outcome)
}
