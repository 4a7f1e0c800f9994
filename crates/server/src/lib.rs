//! The HTTP service of twindex: have we seen this document, or something like it?
//!
//! ```text
//! connection (serve) -> observe, authorize (guard) -> route -> body: received within limits
//!                                                       \-> workers: parse, query, respond
//! ```
//!
//! | file or folder | the question it answers |
//! |---|---|
//! | `config`, `tokens` | what did the operator decide, and who may do what? |
//! | `state` | what do all requests share? |
//! | `run`, `log` | what does a process do that is nothing but the service? |
//! | `serve`, `stall` | which connections are accepted, and how do they end? |
//! | `app` | which paths are there? |
//! | `guard` | what happens to every request? |
//! | `body` | how much is received and unpacked? |
//! | `workers` | who does the work, and how much may wait? |
//! | `route/` | what does each path do? |
//! | `wire/` | what travels? |
//! | `problem` | which errors does a client get? |
//! | `metrics/` | what is counted? |
//! | `upkeep` | what runs in the background? |
//! | `page/` | what do people see? |

mod app;
mod body;
mod config;
mod guard;
mod log;
mod metrics;
mod problem;
mod route;
mod run;
mod serve;
mod stall;
mod state;
mod tokens;
mod upkeep;
mod wire;
mod workers;

pub use app::app;
pub use config::{Config, ConfigError};
pub use log::{LogFormat, start_log};
pub use run::{RunError, run};
pub use serve::serve;
pub use state::Service;
pub use tokens::{Role, TokenError, Tokens};
