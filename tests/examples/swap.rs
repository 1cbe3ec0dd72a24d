//! Swaps on this machine's own disk, while boundaries run: `--rounds N`, `--seed S`, `--in DIR`.
//! `cargo xtask swap` runs it.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    told_scenarios::swap::command::main()
}

#[cfg(not(unix))]
fn main() {
    println!("swap: 0 swaps, there are no such links here");
}
