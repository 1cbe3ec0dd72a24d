//! Whatever the text: an answer within the bounds, in time, and no panic.

use std::panic::{set_hook, take_hook};
use told_domain::path::AbsolutePath;
use told_shell::{limits, reads};

fn cwd() -> AbsolutePath {
    AbsolutePath::new(if cfg!(windows) { "C:/work" } else { "/work" }).expect("absolute")
}

/// Pieces that mean something to a shell, in any order.
const PIECES: &[&str] = &[
    "cat",
    "sed -n 1p",
    "grep -r x",
    "cd",
    "cd /a",
    "ls",
    "find",
    "set -e",
    "exit 1",
    "exec",
    "env",
    "sh -c",
    "sh -c 'cat a'",
    "jq .",
    "awk '{print}'",
    "a",
    "b/c",
    "..",
    "~",
    "-",
    "--",
    "-n",
    "5",
    "&&",
    "||",
    ";",
    "|",
    "|&",
    "&",
    "\n",
    "!",
    "(",
    ")",
    "{",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "if",
    "then",
    "elif",
    "else",
    "fi",
    "while",
    "until",
    "for",
    "in",
    "do",
    "done",
    "case",
    "esac",
    ";;",
    "select",
    "function",
    "f()",
    "<",
    "> out",
    "<<E\n",
    "<<-E\n",
    "E\n",
    "<<<",
    "2>&1",
    "<(",
    ">(",
    "&>",
    "'",
    "\"",
    "`",
    "\\",
    "\\\n",
    "$",
    "$x",
    "${",
    "$(",
    "$((",
    "$'",
    "*",
    "?",
    "[",
    "{a,b}",
    "=",
    "x=1",
    "x=(",
    "x+=",
    "#",
    "# note\n",
    "\t",
    "\0",
    "\u{7f}",
    "é",
    "\u{2028}",
    "@(",
    "+5",
    "time",
    "coproc",
    "\r\n",
    "%",
    "^",
    "!!",
    "1>",
    "0<",
    "-f",
    "-e",
];

fn quietly(run: impl FnOnce()) {
    // What the parser panics with is caught; its message would only be noise here.
    let before = take_hook();
    set_hook(Box::new(|_| {}));
    run();
    set_hook(before);
}

fn holds(text: &str) {
    let found = reads(text, &cwd());
    assert!(found.len() <= limits::PATHS, "{text:?}");
    for read in &found {
        assert!(read.path.as_path().is_absolute(), "{text:?}");
    }
    assert_eq!(reads(text, &cwd()), found, "{text:?}");
}

#[test]
fn pieces_of_shell_in_any_order_give_an_answer() {
    quietly(|| {
        let mut random = fastrand::Rng::with_seed(20_261_130);
        for _ in 0..6_000 {
            let mut text = String::new();
            for _ in 0..random.usize(1..24) {
                text.push_str(PIECES[random.usize(..PIECES.len())]);
                if random.u8(..4) > 0 {
                    text.push(' ');
                }
            }
            holds(&text);
        }
    });
}

#[test]
fn any_bytes_give_an_answer() {
    quietly(|| {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..3_000 {
            let bytes: Vec<u8> = (0..random.usize(..80)).map(|_| random.u8(..)).collect();
            holds(&String::from_utf8_lossy(&bytes));
            let ascii: String = bytes.iter().map(|byte| char::from(byte % 128)).collect();
            holds(&ascii);
        }
    });
}

#[test]
fn depth_and_length_are_bounded() {
    for (open, close) in [
        ("( ", " )"),
        ("{ ", "; }"),
        ("if a; then ", "; fi"),
        ("while a; do ", "; done"),
        ("case x in x) ", " ;; esac"),
        ("case x in x) ", " esac"),
        ("echo $(", ")"),
        ("echo ${a:-", "}"),
        ("echo \"${a:-\"", "\"}\""),
        ("[[ ( ", " ) ]]"),
        ("! ", ""),
        ("sh -c '", "'"),
        ("f() { ", "; }"),
        ("<( ", " )"),
        ("time ", ""),
        ("$((", "))"),
        ("((", "))"),
        ("`", "`"),
        ("cat <<E\n", "\nE\n"),
        ("a=(", ")"),
    ] {
        for depth in [1, 5, limits::NESTING - 1, limits::NESTING + 1, 500, 20_000] {
            holds(&format!("{}cat x{}", open.repeat(depth), close.repeat(depth)));
            holds(&open.repeat(depth));
        }
    }
    let long = format!("cat x && : '{}'", "a".repeat(limits::COMMAND_BYTES));
    assert!(reads(&long, &cwd()).is_empty());
    let many: Vec<String> = (0..limits::PATHS + 50).map(|at| format!("f{at}")).collect();
    assert_eq!(reads(&format!("cat {}", many.join(" ")), &cwd()).len(), limits::PATHS);
}

#[test]
fn a_level_that_the_limits_let_through_fits_a_small_stack() {
    // A worker's stack is 2 MiB; half of it must do.
    let run = || {
        for (open, close) in [("{ ", "; }"), ("if a; then ", "; fi"), ("echo $(", ")")] {
            let depth = limits::NESTING;
            holds(&format!("{}cat x{}", open.repeat(depth), close.repeat(depth)));
        }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run).expect("a thread");
    thread.join().expect("no overflow, no panic");
}
