//! Inputs that once went wrong, each with what its command printed then and must print now.
//!
//! To add one: what it is about, a function that makes its files, the command in the folder of the
//! files, what it did before, its exit code and a part of what it prints now.

use std::path::Path;

/// One input and what becomes of it.
pub(super) struct Case {
    /// What it is about.
    pub(super) about: &'static str,
    /// Makes its files in an empty folder.
    pub(super) files: fn(&Path) -> std::io::Result<()>,
    /// What is typed behind `twindex`. What a word `<FILE` names is standard input.
    pub(super) command: &'static [&'static str],
    /// What it did before.
    pub(super) before: &'static str,
    /// What it does now: the exit code, and a part of a line that it prints.
    pub(super) exit: i32,
    pub(super) now: &'static str,
}

const PAGES: [&str; 2] = [
    "<p>the quick brown fox number one jumps over a lazy dog and then some more words",
    "<p>an entirely different page about gardening roses in the winter and spring time",
];

const GZIP: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x2a\x49\xad\x28\x51\xb2\x52\x50\xca\xcf\x4b\x55\x28\x29\xcf\x57\x28\xc9\x28\x4a\x4d\x55\xaa\xe5\x02\x00\xbe\x67\x29\xf7\x1a\x00\x00\x00";

/// A WARC file of responses.
fn archive(path: &Path, blocks: &[String]) -> std::io::Result<()> {
    let record = |block: &String| {
        let length = block.len();
        format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n")
    };
    std::fs::write(path, blocks.iter().map(record).collect::<String>())
}

fn pages_with(head: &str, tail: &str) -> Vec<String> {
    PAGES.iter().map(|page| format!("{head}{page}{tail}")).collect()
}

pub(super) const CASES: &[Case] = &[
    Case {
        about: "pages in an encoding without a decoder",
        files: |folder| {
            for (number, page) in PAGES.iter().enumerate() {
                let page = format!("<meta charset=iso-2022-kr>{page}");
                std::fs::write(folder.join(format!("{number}.html")), page)?;
            }
            Ok(())
        },
        command: &["dedup", ".", "--dedup-wordless"],
        before: "would remove 1: both pages were one U+FFFD",
        exit: 0,
        now: "would remove     0",
    },
    Case {
        about: "a charset in a comment",
        files: |folder| {
            let page = "<p>Überraschung größer schöne Müller äußerst öfter über Füße süß Öl Äpfel Straße";
            std::fs::write(folder.join("a.html"), format!("<!-- <meta charset=windows-1251> -->{page}"))?;
            std::fs::write(folder.join("b.html"), page)
        },
        command: &["dedup", "."],
        before: "would remove 0: the comment was obeyed",
        exit: 0,
        now: "would remove     1",
    },
    Case {
        about: "HTTP headers that end with bare line feeds",
        files: |folder| {
            archive(&folder.join("a.warc"), &pages_with("HTTP/1.1 200 OK\nContent-Type: text/html\n\n", ""))
        },
        command: &["dedup", "a.warc"],
        before: "would keep 0 of 0 rows",
        exit: 0,
        now: "would keep       2  of 2 rows",
    },
    Case {
        about: "the same, and an empty line in the page",
        files: |folder| {
            let tail =
                "\r\n\r\n<p>a common footer of the site that is long enough to be a document of its own";
            archive(&folder.join("a.warc"), &pages_with("HTTP/1.1 200 OK\nContent-Type: text/html\n\n", tail))
        },
        command: &["dedup", "a.warc"],
        before: "would remove 1: a copy of an earlier text, which it was not",
        exit: 0,
        now: "would keep       2  of 2 rows",
    },
    Case {
        about: "100 Continue, no Content-Type",
        files: |folder| {
            archive(
                &folder.join("a.warc"),
                &pages_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", ""),
            )
        },
        command: &["dedup", "a.warc"],
        before: "would keep 0 of 0 rows",
        exit: 0,
        now: "would keep       2  of 2 rows",
    },
    Case {
        about: "Content-Encoding: utf-8",
        files: |folder| {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: utf-8\r\n\r\n";
            archive(&folder.join("a.warc"), &pages_with(head, ""))
        },
        command: &["dedup", "a.warc"],
        before: "error: the content encoding \"utf-8\" is not known",
        exit: 0,
        now: "would keep       2  of 2 rows",
    },
    Case {
        about: "records that are no documents",
        files: |folder| {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n";
            archive(&folder.join("a.warc"), &pages_with(head, ""))
        },
        command: &["dedup", "a.warc"],
        before: "nothing was said of them",
        exit: 0,
        now: "2 records that are no documents, passed on: 2 records of image/png",
    },
    Case {
        about: "CSV with semicolons",
        files: |folder| std::fs::write(folder.join("a.csv"), "id;text\n1;one two three\n"),
        command: &["dedup", "a.csv"],
        before: "hint: name the right column with --text-field",
        exit: 1,
        now: "hint: the header looks separated by semicolons: --delimiter ';'",
    },
    Case {
        about: "the same, with --delimiter",
        files: |folder| std::fs::write(folder.join("a.csv"), "id;text\n1;one two three\n"),
        command: &["dedup", "a.csv", "--delimiter", ";"],
        before: "error: unexpected argument '--delimiter'",
        exit: 0,
        now: "would keep       1  of 1 row",
    },
    Case {
        about: "gzip called .jsonl",
        files: |folder| std::fs::write(folder.join("a.jsonl"), GZIP),
        command: &["dedup", "a.jsonl"],
        before: "error: a.jsonl:1: not UTF-8",
        exit: 0,
        now: "would keep       1  of 1 row",
    },
    Case {
        about: "gzip with zeros behind it",
        files: |folder| std::fs::write(folder.join("a.jsonl.gz"), [GZIP, &[0; 512]].concat()),
        command: &["dedup", "a.jsonl.gz"],
        before: "error: invalid gzip header",
        exit: 0,
        now: "would keep       1  of 1 row",
    },
    Case {
        about: "a JSON array",
        files: |folder| {
            std::fs::write(
                folder.join("a.json"),
                "[\n  {\"text\": \"one two\"},\n  {\"text\": \"three\"}\n]\n",
            )
        },
        command: &["dedup", "a.json"],
        before: "error: a.json:1: not a JSON object",
        exit: 0,
        now: "would keep       2  of 2 rows",
    },
    Case {
        about: "an archive before WARC",
        files: |folder| std::fs::write(folder.join("a.arc"), "filedesc://x"),
        command: &["dedup", "a.arc"],
        before: "error: the name of a.arc does not tell its format",
        exit: 1,
        now: "a.arc is an ARC file, which is not read: convert it to WARC",
    },
    Case {
        about: "encrypted Parquet",
        files: |folder| std::fs::write(folder.join("a.parquet"), "PARE\0\0\0\0PARE"),
        command: &["dedup", "a.parquet"],
        before: "error: it does not begin with PAR1",
        exit: 1,
        now: "a.parquet is encrypted",
    },
    Case {
        about: "two columns of one name",
        files: |folder| std::fs::write(folder.join("a.csv"), "text,text\none,two\n"),
        command: &["dedup", "a.csv"],
        before: "the first of them was read",
        exit: 1,
        now: "there are 2 columns \"text\"",
    },
    Case {
        about: "ids of MongoDB and fractions",
        files: |folder| {
            let rows =
                "{\"text\": \"one\", \"id\": {\"$oid\": \"507f\"}}\n{\"text\": \"two\", \"id\": 1.5}\n";
            std::fs::write(folder.join("a.jsonl"), rows)
        },
        command: &["dedup", "a.jsonl"],
        before: "error: the field \"id\" holds an object",
        exit: 0,
        now: "would keep       2  of 2 rows",
    },
    Case {
        about: "a row of 98 MB and --memory 150M",
        files: |folder| {
            let words: String = (0..14_000_000).map(|number| format!("{:6} ", number % 999_983)).collect();
            std::fs::write(folder.join("a.jsonl"), format!("{{\"text\": \"{words}\"}}\n").repeat(3))
        },
        command: &["dedup", "a.jsonl", "--memory", "150M"],
        before: "1.13 GB at the peak, and no word of it",
        exit: 1,
        now: "hint: a row takes eight times its length: allow more with --memory",
    },
    Case {
        about: "20 MB of one-letter words and --memory 800M",
        files: |folder| {
            let letters: String =
                (0..10_000_000).flat_map(|word| [char::from(b'a' + (word % 26) as u8), ' ']).collect();
            let row = format!("{{\"text\": \"{letters}\"}}\n");
            std::fs::write(folder.join("a.jsonl"), row.repeat(2))
        },
        command: &["dedup", "a.jsonl", "--memory", "800M"],
        before: "868 MB at the peak, and no word of it",
        exit: 1,
        now: "its 10000000 words take about 851M of memory, and 800M are allowed",
    },
];
