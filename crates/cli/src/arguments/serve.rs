//! What `serve` accepts.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::index::IndexArguments;
use crate::size;

/// Answer over HTTP: have we seen this document, or something like it?
///
/// The index in the folder is opened, or made if there is none. The page for people is at /, a
/// description for programs at /openapi.json. SIGTERM and Ctrl+C finish the accepted requests and
/// stop.
#[derive(Debug, Args)]
#[command(after_help = "\
A configuration file has the same names as the options (body_limit = 1000000); flags count more than the environment
(TWINDEX_LISTEN=...), and both more than the file.

Examples:
  twindex serve --data index
  twindex serve --data index --ttl 7d --paragraphs
  twindex serve --data index --listen 0.0.0.0:7700 --tokens tokens.txt --log json")]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    pub(crate) index: IndexArguments,
    /// A TOML file with the options below
    #[arg(long, value_name = "FILE", env = "TWINDEX_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Where to listen; other machines can reach only what is not loopback [default:
    /// 127.0.0.1:7700]
    #[arg(long, value_name = "ADDRESS:PORT", env = "TWINDEX_LISTEN", help_heading = "Access")]
    pub(crate) listen: Option<SocketAddr>,
    /// A file with lines `read TOKEN` or `write TOKEN`; then every request needs one of them
    #[arg(long, value_name = "FILE", env = "TWINDEX_TOKENS", help_heading = "Access")]
    pub(crate) tokens: Option<PathBuf>,
    /// Listen beyond loopback without tokens: all may read and write
    #[arg(long, help_heading = "Access")]
    pub(crate) open_to_all: bool,
    /// The largest body of a request, before and after decompression [default: 16M]
    #[arg(long, value_parser = size::parse, value_name = "SIZE", env = "TWINDEX_BODY_LIMIT", help_heading = "Limits")]
    pub(crate) body_limit: Option<u64>,
    /// The most documents in one batch [default: 1000]
    #[arg(long, value_name = "N", env = "TWINDEX_BATCH_LIMIT", help_heading = "Limits")]
    pub(crate) batch_limit: Option<usize>,
    /// The memory for all bodies together [default: 256M]
    #[arg(long, value_parser = size::parse, value_name = "SIZE", env = "TWINDEX_BODY_MEMORY", help_heading = "Limits")]
    pub(crate) body_memory: Option<u64>,
    /// The timeout of a request, in seconds [default: 30]
    #[arg(long, value_name = "N", env = "TWINDEX_REQUEST_SECONDS", help_heading = "Limits")]
    pub(crate) request_seconds: Option<u64>,
    /// The timeout of an idle connection, in seconds [default: 10]
    #[arg(long, value_name = "N", env = "TWINDEX_HEADER_SECONDS", help_heading = "Limits")]
    pub(crate) header_seconds: Option<u64>,
    /// The write timeout: seconds without progress until a connection is closed [default: 10]
    #[arg(long, value_name = "N", env = "TWINDEX_WRITE_SECONDS", help_heading = "Limits")]
    pub(crate) write_seconds: Option<u64>,
    /// The most connections at one time [default: 16384]
    #[arg(long, value_name = "N", env = "TWINDEX_CONNECTIONS", help_heading = "Limits")]
    pub(crate) connections: Option<usize>,
    /// The most requests that wait for a thread; more are rejected with 503 [default: 1024]
    #[arg(long, value_name = "N", env = "TWINDEX_QUEUE", help_heading = "Limits")]
    pub(crate) queue: Option<usize>,
    /// How many threads run queries [default: one for each core]
    #[arg(long, value_name = "N", env = "TWINDEX_THREADS", help_heading = "Limits")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// How log lines are written
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", env = "TWINDEX_LOG")]
    pub(crate) log: Log,
    /// Log every request
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Log {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}
