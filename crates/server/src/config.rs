//! The configuration of the service. A TOML file has these names; flags and environment variables
//! override it.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Addresses, access and limits of the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where to listen. Anything but loopback needs `tokens`, or `open_to_all`.
    pub listen: SocketAddr,
    /// The file with the bearer tokens; without one every client that reaches the address may read
    /// and write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<PathBuf>,
    /// Listen beyond loopback without tokens.
    pub open_to_all: bool,
    /// The largest body of a request in bytes, before and after decompression.
    pub body_limit: usize,
    /// The most documents in one batch.
    pub batch_limit: usize,
    /// The memory for all bodies together, in bytes. Further requests are rejected.
    pub body_memory: usize,
    /// The longest time of a request.
    pub request_seconds: u64,
    /// The time in which a client must send the header of its next request.
    pub header_seconds: u64,
    /// The longest time in which a client may read nothing of its response.
    pub write_seconds: u64,
    /// How long a shutdown waits for accepted requests.
    pub shutdown_seconds: u64,
    /// The most connections at one time.
    pub connections: usize,
    /// The most requests that wait for a thread. Further requests are rejected.
    pub queue: usize,
    /// Threads that run queries; by default one for each core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<NonZeroUsize>,
    /// A request that takes longer is logged.
    pub slow_milliseconds: u64,
    /// How often expired documents are looked for.
    pub expire_seconds: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            listen: (Ipv4Addr::LOCALHOST, 7700).into(),
            tokens: None,
            open_to_all: false,
            // A long book is 2 MB; batches of pages are a few.
            body_limit: 16_000_000,
            batch_limit: 1_000,
            body_memory: 256_000_000,
            request_seconds: 30,
            header_seconds: 10,
            write_seconds: 10,
            shutdown_seconds: 30,
            // 10,000 idle clients take about 100 MB, and then there is still room.
            connections: 16_384,
            // At a few thousand answers a second this is a fraction of a second, after which
            // waiting is useless.
            queue: 1_024,
            threads: None,
            slow_milliseconds: 1_000,
            expire_seconds: 10,
        }
    }
}

/// A configuration that the service refuses.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not valid.
    #[error("the configuration {path} is not valid: {message}", path = path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// All could read and write.
    #[error("{listen} can be reached from other machines, and without tokens all may read and write there")]
    OpenToAll {
        /// The address.
        listen: SocketAddr,
    },
    /// A limit that lets nothing through.
    #[error("{name} is 0, so that no request could be answered")]
    Zero {
        /// The limit.
        name: &'static str,
    },
}

impl Config {
    /// Reads a TOML file; what it does not mention has its default.
    pub fn from_file(path: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        toml::from_str(&text)
            .map_err(|error| ConfigError::Syntax { path: path.to_owned(), message: error.to_string() })
    }

    /// Whether the service can run with this configuration.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if !self.listen.ip().is_loopback() && self.tokens.is_none() && !self.open_to_all {
            return Err(ConfigError::OpenToAll { listen: self.listen });
        }
        let limits = [
            ("body_limit", self.body_limit),
            ("batch_limit", self.batch_limit),
            ("body_memory", self.body_memory),
            ("connections", self.connections),
            ("queue", self.queue),
            ("request_seconds", usize::try_from(self.request_seconds).unwrap_or(usize::MAX)),
            ("header_seconds", usize::try_from(self.header_seconds).unwrap_or(usize::MAX)),
            ("write_seconds", usize::try_from(self.write_seconds).unwrap_or(usize::MAX)),
            ("expire_seconds", usize::try_from(self.expire_seconds).unwrap_or(usize::MAX)),
        ];
        match limits.iter().find(|(_, value)| *value == 0) {
            Some((name, _)) => Err(ConfigError::Zero { name }),
            None => Ok(()),
        }
    }

    /// The configuration as a file. It holds no secret: of the tokens it has the file's name.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| format!("# cannot be written as TOML: {error}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(toml: &str) -> Result<Config, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("twindex.toml");
        std::fs::write(&path, toml).unwrap();
        Config::from_file(&path)
    }

    #[test]
    fn an_empty_file_is_the_default_and_what_is_written_can_be_read() {
        assert_eq!(read("").unwrap(), Config::default());
        let config =
            Config { tokens: Some("tokens.txt".into()), threads: NonZeroUsize::new(3), ..Config::default() };
        assert_eq!(read(&config.to_toml()).unwrap(), config);
        Config::default().validate().unwrap();
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let message = read("lisen = \"127.0.0.1:1\"").unwrap_err().to_string();
        assert!(message.contains("lisen") && message.contains("listen"), "{message}");
    }

    #[test]
    fn beyond_loopback_only_with_tokens_or_on_purpose() {
        let open = Config { listen: "0.0.0.0:7700".parse().unwrap(), ..Config::default() };
        assert!(matches!(open.validate(), Err(ConfigError::OpenToAll { .. })));
        Config { tokens: Some("tokens.txt".into()), ..open.clone() }.validate().unwrap();
        Config { open_to_all: true, ..open }.validate().unwrap();
        Config { listen: "[::1]:7700".parse().unwrap(), ..Config::default() }.validate().unwrap();
    }

    #[test]
    fn limits_that_let_nothing_through_are_refused() {
        let config = Config { queue: 0, ..Config::default() };
        assert!(config.validate().unwrap_err().to_string().contains("queue"));
    }
}
