//! Which paths a shell command line surely reads, and nothing where that is not sure.
//!
//! Agents read mostly by shell: `cd sub && sed -n 1,80p main.rs`. A settled, successful call of that
//! kind is a trigger for path-local instructions like any read (R-LOC-1). [`reads`] takes the line
//! apart with a real shell parser and gives the paths, each with the [`Evidence`] for it.
//!
//! **Sure** means: it follows from the text, from the directory the line began in, and from the one
//! fact that the whole line ended with success. A word with a variable, a substitution or a glob is
//! not known; what `||` guards may not have run; after a `cd` that may have failed nobody knows where
//! the shell is; what `head` cuts short has read its first file only. An option that is not in our
//! tables silences its command. The program behind a name is taken to be the usual one.
//!
//! Nothing here runs, looks at a disk, or knows a home directory. Input is bounded in length, depth
//! and number of paths ([`limits`]).
//!
//! **May depend on** `told-domain` and the shell parser. **Start** with [`reads`]; `walk` follows the
//! exit status through the line, `simple` knows the shell's own commands, `program` the others.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod builtin;
mod fate;
pub mod limits;
mod options;
mod parse;
mod place;
mod program;
mod read;
mod simple;
mod walk;
mod word;
mod wrapper;

pub use read::{Evidence, ReadKind, ShellRead, reads};
