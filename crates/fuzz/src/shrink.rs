//! The shortest failing input that is found in a bounded number of attempts.

/// Attempts, at most.
const ATTEMPTS_MAX: usize = 20_000;

/// What a byte is tried as, the plainest first.
const PLAIN: &[u8] = b"a0 \n/";

/// A short input that `fails` as well.
pub(crate) fn shrink(input: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut shortest = input.to_vec();
    let mut attempts = 0;
    let mut fails = |candidate: &[u8]| {
        attempts += 1;
        (attempts <= ATTEMPTS_MAX).then(|| fails(candidate))
    };
    loop {
        let before = shortest.clone();
        if shorter(&mut shortest, &mut fails).is_none()
            || plainer(&mut shortest, &mut fails).is_none()
        {
            return shortest;
        }
        if shortest == before {
            return shortest;
        }
    }
}

/// Takes pieces away, from halves down to single bytes. Nothing where the attempts are used up.
fn shorter(input: &mut Vec<u8>, fails: &mut impl FnMut(&[u8]) -> Option<bool>) -> Option<()> {
    let mut size = input.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < input.len() {
            let end = (at + size).min(input.len());
            let candidate = [&input[..at], &input[end..]].concat();
            if fails(&candidate)? {
                *input = candidate;
            } else {
                at += size;
            }
        }
        if size == 1 {
            return Some(());
        }
        size = size.div_ceil(2);
    }
}

/// Puts plain bytes in the place of others.
fn plainer(input: &mut Vec<u8>, fails: &mut impl FnMut(&[u8]) -> Option<bool>) -> Option<()> {
    for at in 0..input.len() {
        let rank = PLAIN.iter().position(|plain| *plain == input[at]).unwrap_or(PLAIN.len());
        for plain in &PLAIN[..rank] {
            let mut candidate = input.clone();
            candidate[at] = *plain;
            if fails(&candidate)? {
                *input = candidate;
                break;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_left_and_nothing_else() {
        let holds_both =
            |input: &[u8]| input.contains(&b'<') && input.windows(2).any(|w| w == b">>");
        let input =
            [b"some ".repeat(40), b"< and".to_vec(), b"\xff".repeat(99), b">>>".to_vec()].concat();
        assert_eq!(shrink(&input, holds_both), b"<>>");
        let five = |input: &[u8]| input.len() >= 5;
        assert_eq!(shrink(&[7; 300], five), b"aaaaa");
    }

    #[test]
    fn attempts_are_bounded() {
        let mut asked = 0;
        let long = vec![b'x'; 60_000];
        shrink(&long, |input| {
            asked += 1;
            input.len() == 60_000
        });
        assert!(asked <= ATTEMPTS_MAX, "{asked}");
    }
}
