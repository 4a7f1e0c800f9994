//! twindex: finds exact and near duplicates among documents, and proves every one of them.

mod arguments;
mod command;
mod exit;
mod hint;
mod progress;
mod say;
mod size;
mod span;
mod words;

use clap::Parser;

use arguments::{Arguments, Command};
use exit::Exit;

/// Many threads allocate and free texts: the system allocator keeps too much of it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::usage(&error),
    };
    anstream::ColorChoice::from(arguments.color).write_global();
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A damaged file that its library panics on becomes an error that names it.
        if !twindex_corpus::is_guarded() {
            report(panic);
        }
    }));
    let result = match &arguments.command {
        Command::Dedup(options) => command::dedup::run(options),
        Command::Pairs(options) => command::pairs::run(options),
        Command::Fingerprint(options) => command::fingerprint::run(options),
        Command::Hamming(options) => command::hamming::run(options),
        Command::Sketch(options) => command::sketch::run(options),
        Command::Idf(options) => command::idf::run(options),
        Command::Compare(options) => command::compare::run(options),
        Command::Tune(options) => command::tune::run(options),
        Command::Filter(options) => command::filter::run(options),
        Command::Serve(options) => command::serve::run(options),
        Command::Index(options) => command::manage::run(options),
        Command::Recipe(options) => command::recipe::run(options),
        Command::Completions(options) => command::completions::run(options),
        Command::Man(options) => command::man::run(options),
    };
    match result {
        Ok(()) => Exit::Done.into(),
        Err(error) => exit::failed(&error),
    }
}
