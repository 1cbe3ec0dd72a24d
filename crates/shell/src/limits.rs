//! What bounds the work on one line. A line that passes a limit gives nothing.

/// Bytes of a command line.
pub const COMMAND_BYTES: usize = 64 * 1024;

/// Constructs that can nest (`(`, `{`, `if`, `case`, `$(`, …), counted wherever they stand. The parser
/// recurses on each, so this bounds its stack.
pub const NESTING: usize = 32;

/// Parentheses open at one time. The parser tries each run of them in two ways.
pub const PARENTHESES: usize = 8;

/// `case` clauses in all. The parser reads the last arm of each twice.
pub const CASES: usize = 5;

/// Command lines inside of command lines (`sh -c '…'`).
pub const SHELLS: usize = 3;

/// Bytes of one path.
pub const PATH_BYTES: usize = 4096;

/// Paths that one line gives; the rest is left out.
pub const PATHS: usize = 128;
