//! Reading what the program wrote.

use serde_json::Value;

/// A removed document or a pair, without the scores that few tests look at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scored {
    pub(crate) left: String,
    pub(crate) right: String,
    pub(crate) jaccard: f64,
    pub(crate) rule: String,
}

/// The rows of JSON Lines.
pub(crate) fn rows(jsonl: &str) -> Vec<Value> {
    jsonl
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// The texts of one field.
pub(crate) fn field(jsonl: &str, name: &str) -> Vec<String> {
    let text = |row: Value| row[name].as_str().unwrap_or_else(|| panic!("{name} in {row}")).to_owned();
    rows(jsonl).into_iter().map(text).collect()
}

/// Removed documents with their witnesses, from JSON Lines.
pub(crate) fn removed(jsonl: &str) -> Vec<Scored> {
    let scored = |row: Value| Scored {
        left: row["id"].as_str().unwrap().to_owned(),
        right: row["witness"].as_str().unwrap().to_owned(),
        jaccard: row["jaccard"].as_f64().unwrap(),
        rule: row["rule"].as_str().unwrap().to_owned(),
    };
    rows(jsonl).into_iter().map(scored).collect()
}

const HEADER: &str = "left\tright\tjaccard\tcontainment_left\tcontainment_right\tcosine\tdistance\trule\tleft_place\tright_place";

/// Pairs, from tab separated values.
pub(crate) fn pairs(tsv: &str) -> Vec<Scored> {
    let mut lines = tsv.lines();
    assert_eq!(lines.next(), Some(HEADER));
    let scored = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [left, right, jaccard, _, _, _, _, rule, _, _] = cells[..] else {
            panic!("ten cells in {line:?}")
        };
        let jaccard = jaccard.parse().unwrap();
        Scored { left: left.to_owned(), right: right.to_owned(), jaccard, rule: rule.to_owned() }
    };
    lines.map(scored).collect()
}

/// The members of every cluster, from JSON Lines.
pub(crate) fn clusters(jsonl: &str) -> Vec<Vec<String>> {
    let members = |row: Value| {
        let members: Vec<String> = serde_json::from_value(row["members"].clone()).unwrap();
        assert_eq!(
            row["id"].as_str(),
            members.first().map(String::as_str),
            "a cluster has the name of its first member"
        );
        members
    };
    rows(jsonl).into_iter().map(members).collect()
}

/// The data inside a report.
pub(crate) fn report(html: &str) -> Value {
    let (_, rest) = html.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

/// Why the default rule accepts a pair of this Jaccard, which has six decimals.
pub(crate) fn reason(jaccard: f64) -> String {
    let hundredths = (jaccard * 1e6).round() as u64 / 10_000;
    format!("jaccard {} >= 0.5", hundredths as f64 / 100.0)
}
