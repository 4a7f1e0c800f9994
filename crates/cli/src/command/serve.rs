//! `twindex serve`

use anyhow::Result;
use twindex_server::{Config, LogFormat, Service, Tokens, start_log};

use crate::arguments::{Log, ServeOptions};
use crate::command::index::Opening;
use crate::exit::UsageError;

/// Serves an index until a signal stops the process.
pub(crate) fn run(options: &ServeOptions) -> Result<()> {
    let config = config(options)?;
    config.validate().map_err(UsageError::from_cause)?;
    let tokens = config.tokens.as_deref().map(Tokens::from_file).transpose()?;
    let opening = Opening::new(&options.index)?;
    let format = match options.log {
        Log::Text => LogFormat::Text,
        Log::Json => LogFormat::Json,
    };
    start_log(format, options.verbose);
    tracing::info!(data = %options.index.data.display(), configuration = config.to_toml(), "starting");
    let service = Service::new(config, tokens)?;
    twindex_server::run(
        &service,
        move || opening.open(),
        |address| {
            eprintln!("listening on http://{address}");
        },
    )?;
    Ok(())
}

/// The configuration file, overridden by flags and environment.
fn config(options: &ServeOptions) -> Result<Config> {
    let mut config = options.config.as_deref().map(Config::from_file).transpose()?.unwrap_or_default();
    let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    fn set<T>(place: &mut T, value: Option<T>) {
        if let Some(value) = value {
            *place = value;
        }
    }
    set(&mut config.listen, options.listen);
    set(&mut config.body_limit, options.body_limit.map(bytes));
    set(&mut config.batch_limit, options.batch_limit);
    set(&mut config.body_memory, options.body_memory.map(bytes));
    set(&mut config.request_seconds, options.request_seconds);
    set(&mut config.header_seconds, options.header_seconds);
    set(&mut config.write_seconds, options.write_seconds);
    set(&mut config.connections, options.connections);
    set(&mut config.queue, options.queue);
    config.threads = options.threads.or(config.threads);
    config.tokens = options.tokens.clone().or(config.tokens);
    config.open_to_all |= options.open_to_all;
    Ok(config)
}
