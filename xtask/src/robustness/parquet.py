# Makes Parquet files, lets twindex pass their rows on, and compares what other readers see before and after.
import datetime, decimal, json, subprocess, sys
import duckdb, polars
import pyarrow as pa, pyarrow.parquet as pq

twindex = sys.argv[1]
TEXTS = ["one two three", "a page about roses", "the quick brown fox", None, "five words are in here"]


def table(**columns):
    return pa.table({"text": pa.array(TEXTS), **columns})


def repeat(value, type):
    return pa.array([value, None, value, value, None], type)


far, early = datetime.datetime(9999, 12, 31, 23, 59, 59), datetime.datetime(1, 1, 1)
field_ids = pa.schema(
    [
        pa.field("z", pa.int32(), nullable=False, metadata={"PARQUET:field_id": "9"}),
        pa.field("text", pa.string(), metadata={"PARQUET:field_id": "4", "note": "kept"}),
    ],
    metadata={"mine": "a note"},
)


def by_pyarrow(made, **options):
    return lambda path: pq.write_table(made, path, **options)


def by_duckdb(columns):
    rows = f"select 'text number ' || i as text, {columns} from range(5) t(i)"
    return lambda path: duckdb.sql(f"copy ({rows}) to '{path}' (format parquet)")


CASES = {
    "int96": by_pyarrow(table(t=pa.array([far, early, None, far, early], pa.timestamp("us"))), use_deprecated_int96_timestamps=True),
    "date64": by_pyarrow(table(d=repeat(1_728_000_000_000, pa.date64()))),
    "field_ids": by_pyarrow(pa.table([pa.array(range(5), pa.int32()), pa.array(TEXTS)], schema=field_ids)),
    "nested": by_pyarrow(table(l=repeat([{"a": [1, None]}, None], pa.list_(pa.struct([("a", pa.list_(pa.int8()))]))))),
    "map": by_pyarrow(table(m=repeat([("k", 1)], pa.map_(pa.string(), pa.int64())))),
    "decimal": by_pyarrow(table(d=repeat(decimal.Decimal("1.23"), pa.decimal128(30, 2)))),
    "dictionary": by_pyarrow(table(d=repeat("x", pa.string()).dictionary_encode())),
    "half": by_pyarrow(table(h=repeat(1.5, pa.float16()))),
    "zone": by_pyarrow(table(t=repeat(far, pa.timestamp("ms", "Europe/Berlin")))),
    "large": by_pyarrow(table(s=repeat("x", pa.large_string()), b=repeat(b"x", pa.large_binary()))),
    "small_groups": by_pyarrow(table(n=repeat(1, pa.uint64())), row_group_size=2, compression="brotli"),
    "pages_v2": by_pyarrow(table(n=repeat(1, pa.int32())), data_page_version="2.0", compression="gzip"),
    "delta": by_pyarrow(table(n=repeat(1, pa.int64())), use_dictionary=False, column_encoding={"n": "DELTA_BINARY_PACKED"}),
    "uuid_json": by_duckdb("uuid() as u, json('{\"a\": 1}') as j, interval 1 day as v, i::utinyint as n"),
    "times": by_duckdb("time '10:00' as t, timestamp_ns '2024-01-01' as n, date '9999-01-01' as d, [i, null] as l"),
    "int128": lambda path: polars.DataFrame({"text": TEXTS, "n": polars.Series([1, 2**100, None, 3, 4], dtype=polars.Int128)}).write_parquet(path),
    "categories": lambda path: polars.DataFrame({"text": TEXTS, "c": polars.Series(["a", "b", None, "a", "b"], dtype=polars.Categorical)}).write_parquet(path),
}


def seen(path):
    try:
        file = pq.ParquetFile(path)
        yield "schema", str(file.schema).split("\n", 1)[1]
        yield "notes", file.metadata.metadata
    except pa.ArrowNotImplementedError as error:
        yield "pyarrow refuses it", str(error)
    yield "duckdb", duckdb.sql(f"select columns(*)::varchar from '{path}'").fetchall()
    columns = "name, type, type_length, repetition_type, converted_type, logical_type, field_id"
    schema = duckdb.sql(f"select {columns} from parquet_schema('{path}')").fetchall()
    # Of the root only the name counts: some writers say that it is required, as it always is.
    yield "duckdb's schema", [schema[0][0], *schema[1:]]
    try:
        yield "pyarrow", pq.read_table(path, coerce_int96_timestamp_unit="us")
    except Exception as error:
        yield "pyarrow", type(error)


def difference(name, make):
    make(f"{name}.parquet")
    kept = f"{name}-kept.parquet"
    done = subprocess.run([twindex, "dedup", f"{name}.parquet", "--output", kept, "--threshold", "1"], capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    for (what, before), (_, after) in zip(seen(f"{name}.parquet"), seen(kept)):
        if before != after:
            return f"{what}: {before} became {after}"


for name, make in CASES.items():
    print(json.dumps({"case": name, "difference": difference(name, make)}))
