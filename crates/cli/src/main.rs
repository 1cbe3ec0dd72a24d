//! The binary `told`: see the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    told_cli::main()
}
