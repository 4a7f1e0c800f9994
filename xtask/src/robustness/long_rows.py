# Makes files of long rows, as a program with less memory than they have in all must still read them.
import gzip, json
import pyarrow as pa, pyarrow.parquet as pq

ROWS, BYTES = 4, 9_000_000


def text(row):
    return " ".join(f"{word * ROWS + row:07x}" for word in range(BYTES // 8))


def record(block):
    return b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n" % (len(block), block)


def page(text, *, encoding=b"", pack=bytes):
    return record(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + encoding + b"\r\n" + pack(b"<p>" + text.encode()))


def write(name, parts):
    with open(name, "wb") as file:
        file.write(b"".join(parts))


texts = [text(row) for row in range(ROWS)]
lines = [json.dumps({"text": text}).encode() for text in texts]
pq.write_table(pa.table({"text": texts}), "a.parquet", row_group_size=1)
pq.write_table(pa.table({"text": texts[:3]}), "one-group.parquet")
write("a.jsonl.gz", [gzip.compress(b"\n".join(lines), 1)])
write("a.json", [b"[", b",\n".join(lines), b"]"])
write("a.warc.gz", [gzip.compress(page(text), 1) for text in texts])
write("packed-pages.warc", [page(text, encoding=b"Content-Encoding: gzip\r\n", pack=lambda raw: gzip.compress(raw, 1)) for text in texts])
