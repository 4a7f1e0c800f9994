//! What each path answers.

use serde_json::{Value, json};

use crate::started::{pass_seconds, start, start_unready};

const TEXT: &str =
    "The council approved the new bridge over the river on Monday after a long debate about its cost.";
const NEAR: &str =
    "The council approved the new bridge over the river on Tuesday after a long debate about its cost.";
const OTHER: &str =
    "Bakers in the old town sell twice as much bread on days when it rains before eight in the morning.";

#[test]
fn a_document_is_added_found_read_and_removed() {
    let service = start();
    let added = service.post("/v1/documents", &json!({"id": "a", "text": TEXT}));
    assert_eq!(added.status, 201, "{added:?}");
    assert_eq!((&added.json()["outcome"], &added.json()["seen"]), (&json!("added"), &json!(false)));

    let answer = service.post("/v1/check", &json!({"text": TEXT})).json();
    assert_eq!(answer["seen"], true);
    let found = &answer["matches"][0];
    assert_eq!(
        (&found["id"], &found["jaccard"], &found["verified"]),
        (&json!("a"), &json!(1.0), &json!(true))
    );
    assert_eq!(service.post("/v1/check", &json!({"text": OTHER})).json()["seen"], false);

    let stored = service.get("/v1/documents/a").json();
    assert_eq!((&stored["text"], &stored["expires"]), (&json!(TEXT), &Value::Null));
    assert_eq!(service.delete("/v1/documents/a").status, 204);
    service.get("/v1/documents/a").assert_problem(404);
    service.delete("/v1/documents/a").assert_problem(404);
    assert_eq!(service.post("/v1/check", &json!({"text": TEXT})).json()["seen"], false);
}

#[test]
fn adding_again_changes_nothing_and_another_text_replaces() {
    let service = start();
    let add = |text: &str| service.post("/v1/documents", &json!({"id": "a", "text": text}));
    assert_eq!(add(TEXT).status, 201);
    let again = add(TEXT);
    assert_eq!((again.status, &again.json()["outcome"]), (200, &json!("unchanged")));
    let replaced = add(OTHER);
    assert_eq!((replaced.status, &replaced.json()["outcome"]), (201, &json!("replaced")));
    assert_eq!(service.get("/v1/stats").json()["index"]["documents"], 1);
}

/// Who wants no matches listed still hears whether there are any.
#[test]
fn a_limit_of_none_hides_no_match() {
    let service = start();
    let documents: Vec<Value> =
        (0..600).map(|number| json!({"id": format!("d{number}"), "text": TEXT})).collect();
    let batch = json!({"documents": documents, "limit": 1000});
    let results = service.post("/v1/documents/batch", &batch).json()["results"].take();
    let listed = |row: &Value| row["matches"].as_array().unwrap().len();
    let most = results.as_array().unwrap().iter().map(listed).max();
    assert_eq!(most, Some(10_000 / 600), "all matches of a batch together are bounded");
    assert_eq!(results[599]["more"], true);

    let answer = service.post("/v1/check", &json!({"text": TEXT, "limit": 0})).json();
    assert_eq!(
        (&answer["seen"], &answer["matches"], &answer["more"]),
        (&json!(true), &json!([]), &json!(true))
    );
    let none = service.post("/v1/check", &json!({"text": OTHER, "limit": 0})).json();
    assert_eq!((&none["seen"], &none["more"]), (&json!(false), &json!(false)));
    let unseen = json!({"id": "other", "text": TEXT, "only_unseen": true, "limit": 0});
    let seen = service.post("/v1/documents", &unseen).json();
    assert_eq!((&seen["outcome"], &seen["seen"]), (&json!("seen"), &json!(true)));
}

#[test]
fn only_unseen_documents_are_added_if_asked() {
    let service = start();
    service.post("/v1/documents", &json!({"id": "a", "text": TEXT}));
    let seen = service.post("/v1/documents", &json!({"id": "b", "text": TEXT, "only_unseen": true}));
    assert_eq!((seen.status, &seen.json()["outcome"]), (200, &json!("seen")));
    assert_eq!(seen.json()["matches"][0]["id"], "a");
    service.get("/v1/documents/b").assert_problem(404);
}

#[test]
fn each_row_of_a_batch_has_its_own_verdict() {
    let service = start();
    let batch = json!({"documents": [
        {"id": "a", "text": TEXT},
        {"id": "", "text": OTHER},
        {"id": "b", "text": TEXT},
        {"id": "c", "text": OTHER, "ttl": 0},
    ], "only_unseen": true});
    let heard = service.post("/v1/documents/batch", &batch);
    assert_eq!(heard.status, 200, "{heard:?}");
    let results = heard.json()["results"].clone();
    assert_eq!((&results[0]["id"], &results[0]["outcome"]), (&json!("a"), &json!("added")));
    assert_eq!((&results[1]["id"], &results[1]["problem"]["status"]), (&json!(""), &json!(400)));
    assert_eq!((&results[2]["outcome"], &results[2]["matches"][0]["id"]), (&json!("seen"), &json!("a")));
    assert_eq!((&results[3]["id"], &results[3]["problem"]["status"]), (&json!("c"), &json!(400)));
    assert_eq!(service.get("/v1/stats").json()["index"]["documents"], 1);
}

#[test]
fn a_document_expires() {
    let service = start();
    service.post("/v1/documents", &json!({"id": "a", "text": TEXT, "ttl": 100}));
    assert_eq!(service.post("/v1/check", &json!({"text": TEXT})).json()["seen"], true);
    pass_seconds(200);
    assert_eq!(service.post("/v1/check", &json!({"text": TEXT})).json()["seen"], false);
    service.get("/v1/documents/a").assert_problem(404);
}

#[test]
fn two_texts_are_compared() {
    let service = start();
    service.post("/v1/documents", &json!({"id": "a", "text": TEXT}));
    let compared = service.post("/v1/compare", &json!({"left": {"text": NEAR}, "right": {"id": "a"}})).json();
    assert_eq!((&compared["right"]["name"], &compared["duplicates"]), (&json!("a"), &json!(true)));
    let difference = compared["difference"].as_array().unwrap();
    assert!(difference.contains(&json!({"removed": "Tuesday"})), "{difference:?}");
    assert!(difference.contains(&json!({"added": "Monday"})), "{difference:?}");
    service.post("/v1/compare", &json!({"left": {"text": "a"}, "right": {"id": "b"}})).assert_problem(404);
    let both = json!({"left": {"text": "a", "id": "a"}, "right": {"text": "b"}});
    service.post("/v1/compare", &both).assert_problem(400);
}

#[test]
fn of_html_only_the_visible_text_counts() {
    let service = start();
    service.post("/v1/documents", &json!({"id": "a", "text": TEXT}));
    let page = format!("<html><script>var x = 1;</script><p>{TEXT}</p></html>");
    let answer = service.post("/v1/check", &json!({"text": page, "markup": "html"})).json();
    assert_eq!(answer["matches"][0]["id"], "a", "{answer}");
}

#[test]
fn ids_are_keys_and_not_paths() {
    let service = start();
    for (id, escaped) in [
        ("../../etc/passwd", "..%2F..%2Fetc%2Fpasswd"),
        ("a b?c#d", "a%20b%3Fc%23d"),
        ("\0", "%00"),
        ("文档", "%E6%96%87%E6%A1%A3"),
        ("batch", "batch"),
        ("..", "%2E%2E"),
    ] {
        assert_eq!(service.post("/v1/documents", &json!({"id": id, "text": TEXT})).status, 201, "{id}");
        // Asked by hand, because a good client would tidy up the path.
        let request =
            format!("GET /v1/documents/{escaped} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        let answer = service.converse(request.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 200"), "{id}: {answer}");
        assert!(answer.contains(&json!(id).to_string()), "{id}: {answer}");
    }
    service.get("/v1/documents/%FF").assert_problem(400);
    service.post("/v1/documents", &json!({"id": "x".repeat(2000), "text": TEXT})).assert_problem(400);
}

#[test]
fn figures_are_told_to_people_and_to_prometheus() {
    let service = start();
    service.post("/v1/documents", &json!({"id": "a", "text": TEXT}));
    service.post("/v1/check", &json!({"text": TEXT}));
    let stats = service.get("/v1/stats").json();
    assert_eq!((&stats["index"]["documents"], &stats["check"]["count"]), (&json!(1), &json!(1)));
    assert_eq!((&stats["rules"]["evidence"], &stats["rules"]["radius"]), (&json!("text"), &json!(3)));
    let metrics = service.get("/metrics");
    assert!(metrics.media_type.starts_with("text/plain; version=0.0.4"));
    for line in [
        "twindex_requests_total{route=\"POST /v1/check\",status=\"2xx\"} 1\n",
        "twindex_request_seconds_count{route=\"POST /v1/documents\"} 1\n",
        "twindex_documents 1\n",
    ] {
        assert!(metrics.body.contains(line), "{line} is missing in {}", metrics.body);
    }
}

#[test]
fn a_service_without_an_index_lives_and_is_not_ready() {
    let service = start_unready();
    assert_eq!(service.get("/healthz").status, 200);
    let ready = service.get("/readyz");
    ready.assert_problem(503);
    assert_eq!(ready.retry_after.as_deref(), Some("1"));
    service.post("/v1/check", &json!({"text": TEXT})).assert_problem(503);
    assert_eq!(start().get("/readyz").status, 200);
}

#[test]
fn unknown_paths_and_methods_are_problems() {
    let service = start();
    service.get("/v2/check").assert_problem(404);
    service.get("/v1/documents/a/b").assert_problem(404);
    service.get("/v1/check").assert_problem(405);
    service.delete("/v1/stats").assert_problem(405);
}
