//! A small repeatable source of chance.

/// A generator whose numbers depend on its seed only.
///
/// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `0..bound`; 0 for an empty range.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or_default()
    }

    /// Returns a number in `low..high`.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low))
    }

    /// Returns true in so many of a hundred cases.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the values.
    pub(super) fn pick<T: Copy>(&mut self, first: T, rest: &[T]) -> T {
        let index = self.below(rest.len() as u64 + 1);
        usize::try_from(index)
            .ok()
            .and_then(|i| rest.get(i.checked_sub(1)?))
            .copied()
            .unwrap_or(first)
    }

    /// Returns one of the values by weight; the weights add up to a hundred, and what is missing goes to
    /// the last.
    pub(super) fn weighted<T: Copy>(&mut self, last: T, choices: &[(u64, T)]) -> T {
        let mut point = self.below(100);
        for (weight, value) in choices {
            if point < *weight {
                return *value;
            }
            point -= weight;
        }
        last
    }

    /// Returns so many hexadecimal digits.
    pub(super) fn hex(&mut self, digits: usize) -> String {
        let mut text = String::with_capacity(digits + 16);
        while text.len() < digits {
            text.push_str(&format!("{:016x}", self.next()));
        }
        text.truncate(digits);
        text
    }

    /// Returns a version 4 UUID.
    pub(super) fn uuid(&mut self) -> String {
        uuid::Builder::from_random_bytes(
            ((u128::from(self.next()) << 64) | u128::from(self.next())).to_be_bytes(),
        )
        .into_uuid()
        .to_string()
    }
}
