//! The whole product, on real files and a real store: through `told serve`, through the command
//! line, and through both at once.

mod client;
mod configured;
#[cfg(unix)]
mod hostile_files;
mod hostile_stores;
mod keep;
mod kill;
mod life;
mod life_fork;
mod life_long;
mod life_move;
mod life_paths;
mod life_reads;
mod life_transcript;
#[cfg(target_os = "linux")]
mod lock;
mod many;
mod protocol;
mod provide;
mod refusals;
mod skills;
mod story;
mod urls;
mod urls_tls;
mod watch;
