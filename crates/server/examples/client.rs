//! A small client of the service: adds the lines of a file that are new, and names what the others
//! duplicate.
//!
//! ```text
//! twindex serve --data index
//! cargo run --package twindex-server --example client -- http://127.0.0.1:7700 examples/news.jsonl
//! ```
//!
//! The file has one JSON object a line, with `id` and `text`. A token is read from the variable
//! `TWINDEX_TOKEN`.

use std::error::Error;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

/// Documents in one request: large enough to share the price of reaching the disk.
const BATCH: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(service), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err(
            "expected the address of a service and a file, such as http://127.0.0.1:7700 news.jsonl".into()
        );
    };
    let text = std::fs::read_to_string(&file)?;
    let documents: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    for batch in documents.chunks(BATCH) {
        let rows: Vec<Value> =
            batch.iter().map(|row| json!({"id": row["id"], "text": row["text"]})).collect();
        let request = json!({"documents": rows, "only_unseen": true, "limit": 1});
        let answer = post(&format!("{service}/v1/documents/batch"), &request)?;
        for row in answer["results"].as_array().into_iter().flatten() {
            let id = &row["id"];
            match (row["outcome"].as_str(), row["matches"].get(0)) {
                (None, _) => println!("{id} was refused: {}", row["problem"]["detail"]),
                (Some("seen"), Some(witness)) => match witness.get("jaccard") {
                    Some(jaccard) => println!("{id} is like {} ({jaccard})", witness["id"]),
                    // An index that keeps nothing but fingerprints has no scores.
                    None => println!("{id} is like {}", witness["id"]),
                },
                (Some("added"), _) => println!("{id} is new"),
                (Some("unchanged"), _) => println!("{id} was there already"),
                (Some("replaced"), _) => println!("{id} took the place of another text"),
                (Some(outcome), _) => println!("{id}: {outcome}"),
            }
        }
    }
    Ok(())
}

/// Asks again, after the time that the service names, as long as it has too much to do.
fn post(url: &str, body: &Value) -> Result<Value, Box<dyn Error>> {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    loop {
        let mut request = agent.post(url);
        if let Ok(token) = std::env::var("TWINDEX_TOKEN") {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let response = request.send_json(body)?;
        let status = response.status().as_u16();
        if status == 503 {
            let seconds =
                response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
            sleep(Duration::from_secs(seconds.unwrap_or(1)));
            continue;
        }
        let answer: Value = response.into_body().read_json()?;
        if status >= 400 {
            return Err(format!("the service answered {status}: {}", answer["detail"]).into());
        }
        return Ok(answer);
    }
}
