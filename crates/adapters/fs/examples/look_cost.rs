//! What a batch of looks costs, beside a plain loop of open, fstat, read, close over the same
//! paths in the same run. Run it in a release build; it prints one line a case.

use std::{
    fs::{self, File},
    hint::black_box,
    io::Read as _,
    path::Path,
    time::{Duration, Instant},
};
use told_domain::{
    look::{Containment, Looks, Read},
    path::AbsolutePath,
};
use told_fs::LocalFileSystem;
use told_ports::FileSystem as _;

const ROUNDS: usize = 4000;
const BYTES: usize = 2048;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
    let temporary = tempfile::tempdir()?;
    println!("{:>10} {:>8} {:>10} {:>10} {:>6}", "candidates", "present", "plain", "told", "ratio");
    let mut cases = Vec::new();
    for (candidates, every) in [(1, 1), (1, 10), (12, 1), (12, 10), (100, 1), (100, 10)] {
        let root = temporary.path().join(format!("{candidates}-{every}"));
        cases.push((candidates, every, lay_out(&root, candidates, every)?));
    }
    // A file that was written just now may have a write under way, and takes the hop: let them age.
    std::thread::sleep(Duration::from_millis(2100));
    for (candidates, every, looks) in cases {
        let system = LocalFileSystem::new();
        let (plain, told) = runtime.block_on(async {
            let mut plain = Vec::with_capacity(ROUNDS);
            let mut told = Vec::with_capacity(ROUNDS);
            for _ in 0..ROUNDS {
                let start = Instant::now();
                for read in &looks.reads {
                    let _ = black_box(plain_look(read.path.as_path()));
                }
                plain.push(start.elapsed());
                let start = Instant::now();
                black_box(system.observe(&looks).await);
                told.push(start.elapsed());
            }
            (median(plain), median(told))
        });
        let ratio = told.as_secs_f64() / plain.as_secs_f64();
        let present = if every == 1 { "all" } else { "1 in 10" };
        println!("{candidates:>10} {present:>8} {plain:>10.2?} {told:>10.2?} {ratio:>6.2}");
    }
    Ok(())
}

/// One candidate in each of so many directories, and a file at one in `every` of them.
fn lay_out(root: &Path, candidates: usize, every: usize) -> std::io::Result<Looks> {
    fs::create_dir_all(root)?;
    let root = root.canonicalize()?;
    let boundary = AbsolutePath::new(&root).map_err(std::io::Error::other)?;
    let containment =
        Containment::Within(told_domain::path::CanonicalPath::observed(boundary.clone()));
    let mut looks = Looks { total_bytes: 1 << 24, look_ms: 5000, ..Looks::default() };
    for at in 0..candidates {
        let directory = boundary.join(&format!("crates/part-{}/source-{at}", at / 10));
        fs::create_dir_all(&directory)?;
        let path = directory.join("AGENTS.md");
        if at % every == every - 1 {
            fs::write(&path, vec![b'x'; BYTES])?;
        }
        looks.reads.push(Read { path, containment: containment.clone(), max_bytes: 256 * 1024 });
    }
    Ok(looks)
}

/// The floor: four system calls, and one where there is no file.
fn plain_look(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len() as usize;
    let mut bytes = vec![0; size];
    let read = file.read(&mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
