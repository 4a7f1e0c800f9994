//! Who may do what: bearer tokens from a file.
//!
//! ```text
//! # role token
//! read  5f2c0f3e9d7a4b61
//! write 0d9b7c55a1e84f32
//! ```

use std::path::{Path, PathBuf};

use subtle::ConstantTimeEq;

/// What the bearer of a token may do. Who may write may read, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Query.
    Read,
    /// Add and remove as well.
    Write,
}

/// The tokens that are accepted.
#[derive(Clone)]
pub struct Tokens {
    known: Vec<(Role, Vec<u8>)>,
}

/// A token file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("cannot read the tokens {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line that is no token. The message does not quote the line, which may hold a secret.
    #[error("{path}, line {line}: {what}\nhint: a line is a role (read or write), a space, and a token of at least {SHORTEST_TOKEN} letters and digits, such as `openssl rand -hex 16` prints", path = path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A file without tokens would reject every request.
    #[error("{path} holds no token", path = path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// Shorter tokens can be guessed over the network.
const SHORTEST_TOKEN: usize = 16;

impl Tokens {
    /// Reads the file.
    pub fn from_file(path: &Path) -> Result<Tokens, TokenError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| TokenError::Read { path: path.to_owned(), source })?;
        let mut known = vec![];
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            known.push(parse(line).map_err(|what| TokenError::Line {
                path: path.to_owned(),
                line: number + 1,
                what,
            })?);
        }
        if known.is_empty() {
            return Err(TokenError::Empty { path: path.to_owned() });
        }
        Ok(Tokens { known })
    }

    /// What the bearer of this token may do; `None` if it is none of ours.
    ///
    /// Every token is compared, in a time that does not depend on where they differ; only lengths
    /// could be distinguished.
    pub fn role(&self, token: &[u8]) -> Option<Role> {
        let mut found = None;
        for (role, known) in &self.known {
            if bool::from(known.as_slice().ct_eq(token)) {
                found = found.max(Some(*role));
            }
        }
        found
    }
}

fn parse(line: &str) -> Result<(Role, Vec<u8>), &'static str> {
    let (role, token) = line.split_once(char::is_whitespace).ok_or("there is no token after the role")?;
    let role = match role {
        "read" => Role::Read,
        "write" => Role::Write,
        _ => return Err("the role is neither read nor write"),
    };
    let token = token.trim();
    if token.len() < SHORTEST_TOKEN {
        return Err("the token is too short");
    }
    // What a header can carry without quoting (RFC 6750, b64token).
    if !token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)) {
        return Err("the token has characters that a header cannot carry");
    }
    Ok((role, token.as_bytes().to_vec()))
}

/// Secrets stay out of logs.
impl std::fmt::Debug for Tokens {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Tokens({} hidden)", self.known.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Tokens, TokenError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.txt");
        std::fs::write(&path, text).unwrap();
        Tokens::from_file(&path)
    }

    #[test]
    fn roles() {
        let tokens =
            read("# people\nread aaaaaaaaaaaaaaaa\n\n write  bbbbbbbbbbbbbbbb \nread bbbbbbbbbbbbbbbb\n")
                .unwrap();
        assert_eq!(tokens.role(b"aaaaaaaaaaaaaaaa"), Some(Role::Read));
        assert_eq!(tokens.role(b"bbbbbbbbbbbbbbbb"), Some(Role::Write));
        for wrong in ["", "aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaab", "read"] {
            assert_eq!(tokens.role(wrong.as_bytes()), None, "{wrong}");
        }
        assert!(!format!("{tokens:?}").contains("aaaa"));
    }

    #[test]
    fn bad_lines_are_named_and_not_shown() {
        for text in
            ["\nadmin secretsecretsecret", "\nread short", "\nwrite", "\nread with spaces in the middle"]
        {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains("line 2") && message.contains("hint"), "{message}");
            assert!(!message.contains("secret") && !message.contains("short,"), "{message}");
        }
        assert!(matches!(read("# none\n"), Err(TokenError::Empty { .. })));
    }
}
