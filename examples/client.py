"""A small client of the service, with nothing but the standard library of Python.

    twindex serve --data index
    python3 examples/client.py http://127.0.0.1:7700 examples/news.jsonl

Adds the lines of a file (JSON objects with `id` and `text`) that are new, and names what the others duplicate. A token is
read from the variable TWINDEX_TOKEN.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

BATCH = 100  # documents in one request: enough to share the price of reaching the disk

OUTCOMES = {"added": "is new", "unchanged": "was there already", "replaced": "took the place of another text"}


def post(url, body):
    """The answer; asks again, after the time that the service names, as long as it has too much to do."""
    headers = {"content-type": "application/json"}
    if token := os.environ.get("TWINDEX_TOKEN"):
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    while True:
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code == 503:
                time.sleep(float(error.headers.get("retry-after", 1)))
                continue
            sys.exit(f"the service answered {error.code}: {json.load(error)['detail']}")


def describe(row):
    """What became of a document, in words."""
    if "problem" in row:
        return f"{row['id']} was refused: {row['problem']['detail']}"
    if row["outcome"] == "seen":
        witness = row["matches"][0]
        # An index that keeps nothing but fingerprints has no scores.
        score = f" ({witness['jaccard']})" if "jaccard" in witness else ""
        return f"{row['id']} is like {witness['id']}{score}"
    return f"{row['id']} {OUTCOMES[row['outcome']]}"


def main():
    if len(sys.argv) != 3:
        sys.exit("expected the address of a service and a file, such as http://127.0.0.1:7700 news.jsonl")
    service, file = sys.argv[1:]
    with open(file, encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    for start in range(0, len(documents), BATCH):
        batch = [{"id": row["id"], "text": row["text"]} for row in documents[start : start + BATCH]]
        answer = post(f"{service}/v1/documents/batch", {"documents": batch, "only_unseen": True, "limit": 1})
        for row in answer["results"]:
            print(describe(row))


if __name__ == "__main__":
    main()
