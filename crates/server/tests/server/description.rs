//! The description for programs agrees with the service.

use serde_json::{Value, json};

use crate::started::start;

#[test]
fn every_described_path_exists_and_every_path_is_described() {
    let service = start();
    let description = service.get("/openapi.json").json();
    let mut described: Vec<String> = vec![];
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            described.push(format!("{} {path}", method.to_uppercase()));
        }
    }
    described.sort();
    assert_eq!(
        described,
        [
            "DELETE /v1/documents/{id}",
            "GET /healthz",
            "GET /metrics",
            "GET /readyz",
            "GET /v1/documents/{id}",
            "GET /v1/stats",
            "POST /v1/check",
            "POST /v1/compare",
            "POST /v1/documents",
            "POST /v1/documents/batch",
        ]
    );
    assert_eq!(description["components"]["securitySchemes"]["token"]["scheme"], "bearer");
}

/// Whether every field of a value is described, and every required field is there.
fn assert_described(value: &Value, schema: &Value, schemas: &Value, place: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return assert_described(value, &schemas[name], schemas, place);
    }
    if let Some(kinds) = schema["oneOf"].as_array() {
        if !value.is_null() {
            let described = kinds.iter().find(|kind| kind["type"] != "null").unwrap();
            assert_described(value, described, schemas, place);
        }
        return;
    }
    match value {
        Value::Object(fields) => {
            let (mut known, mut required) = (vec![], vec![]);
            collect(schema, schemas, &mut known, &mut required);
            if known.is_empty() {
                return;
            }
            for (name, field) in fields {
                let schema = known.iter().find(|(known, _)| known == name);
                let (_, schema) = schema.unwrap_or_else(|| panic!("{place}.{name} is not described"));
                assert_described(field, schema, schemas, &format!("{place}.{name}"));
            }
            for name in required {
                assert!(fields.contains_key(&name), "{place}.{name} is described and not there");
            }
        }
        Value::Array(items) => {
            for item in items {
                assert_described(item, &schema["items"], schemas, &format!("{place}[]"));
            }
        }
        _ => {}
    }
}

fn collect(schema: &Value, schemas: &Value, known: &mut Vec<(String, Value)>, required: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        return collect(&schemas[reference.rsplit('/').next().unwrap()], schemas, known, required);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect(part, schemas, known, required);
    }
    for part in schema["oneOf"].as_array().into_iter().flatten() {
        collect(part, schemas, known, &mut vec![]);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        known.push((name.clone(), field.clone()));
    }
    required.extend(
        schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap().to_owned()),
    );
}

#[test]
fn answers_look_as_described() {
    let service = start();
    let text = "one two three four five six seven eight nine ten";
    service.post("/v1/documents", &json!({"id": "a", "text": text}));
    let description = service.get("/openapi.json").json();
    let schemas = &description["components"]["schemas"];
    let compare = json!({"left": {"text": format!("{text} eleven\n\nother")}, "right": {"id": "a"}});
    for (method, path, status, answer) in [
        ("post", "/v1/check", "200", service.post("/v1/check", &json!({"text": text}))),
        ("post", "/v1/documents", "201", service.post("/v1/documents", &json!({"id": "b", "text": text}))),
        ("post", "/v1/compare", "200", service.post("/v1/compare", &compare)),
        ("get", "/v1/documents/{id}", "200", service.get("/v1/documents/a")),
        ("get", "/v1/documents/{id}", "404", service.get("/v1/documents/c")),
        ("get", "/v1/stats", "200", service.get("/v1/stats")),
    ] {
        let contents = &description["paths"][path][method]["responses"][status]["content"];
        let schema = &contents[answer.media_type.as_str()]["schema"];
        assert!(schema.is_object(), "{method} {path} {status}: {contents}");
        assert_described(&answer.json(), schema, schemas, path);
    }
}
