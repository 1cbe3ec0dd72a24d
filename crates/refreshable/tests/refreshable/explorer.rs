//! Every path of a run that asks, at each of its points, which of several ways to go.

/// Answers a run's questions, differently in each run, until all answers were given.
#[derive(Default)]
pub(crate) struct Choices {
    /// The ways taken at each point of this run, of how many.
    path: Vec<(usize, usize)>,
    at: usize,
}

impl Choices {
    /// A number below `ways`.
    pub(crate) fn choose(&mut self, ways: usize) -> usize {
        assert!(ways > 0, "there is always a way to go");
        if self.at == self.path.len() {
            self.path.push((0, ways));
        }
        let (taken, of) = self.path[self.at];
        assert_eq!(of, ways, "equal choices lead to equal questions");
        self.at += 1;
        taken
    }

    /// Makes the next run another. Whether there is one.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((taken, of)) = self.path.pop() {
            if taken + 1 < of {
                self.path.push((taken + 1, of));
                return true;
            }
        }
        false
    }
}

/// Runs every path, and says how many there are.
pub(crate) fn explore(mut run: impl FnMut(&mut Choices)) -> usize {
    let mut choices = Choices::default();
    let mut runs = 0;
    loop {
        run(&mut choices);
        runs += 1;
        if !choices.advance() {
            return runs;
        }
    }
}

#[test]
fn every_path_is_run_once() {
    let mut seen = Vec::new();
    let runs = explore(|choices| {
        let first = choices.choose(3);
        let second = if first == 1 { choices.choose(2) } else { 0 };
        seen.push((first, second));
    });
    assert_eq!((runs, seen), (4, vec![(0, 0), (1, 0), (1, 1), (2, 0)]));
}
