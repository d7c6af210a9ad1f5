//! The choices that a generated query is made of.
//!
//! A query is a function of a list of small numbers. The simplest choice is always 0, and choices past the end of
//! the list are 0, so a shorter list or one of smaller numbers is a simpler query: that is all that making a
//! finding small has to know.

/// Where choices come from.
pub struct Choices {
    source: Source,
    taken: Vec<u32>,
}

enum Source {
    /// The state of a generator of random numbers.
    Random(u64),
    /// Choices made before.
    Given(Vec<u32>),
}

impl Choices {
    /// Returns the choices of a seed.
    pub fn of_seed(seed: u64) -> Self {
        Self {
            source: Source::Random(seed),
            taken: Vec::new(),
        }
    }

    /// Returns these choices, and 0 after them.
    pub fn given(choices: Vec<u32>) -> Self {
        Self {
            source: Source::Given(choices),
            taken: Vec::new(),
        }
    }

    /// Returns a number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let count = count.max(1) as u64;
        let choice = match &mut self.source {
            Source::Random(state) => splitmix(state) % count,
            Source::Given(list) => {
                u64::from(list.get(self.taken.len()).copied().unwrap_or(0)) % count
            }
        };
        self.taken.push(choice as u32);
        choice as usize
    }

    /// Returns true once in so many times.
    pub fn rarely(&mut self, times: usize) -> bool {
        self.below(times) + 1 == times
    }

    /// Returns one of a list.
    pub fn pick<'a, X: ?Sized>(&mut self, list: &[&'a X]) -> &'a X {
        list[self.below(list.len())]
    }

    /// Returns what was chosen.
    pub fn taken(self) -> Vec<u32> {
        self.taken
    }
}

/// SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns lists of choices that may make a simpler query, the ones that leave most out first.
pub fn simpler(choices: &[u32]) -> impl Iterator<Item = Vec<u32>> + '_ {
    let sizes = std::iter::successors(Some(choices.len() / 2), |size| Some(size / 2));
    let left_out = sizes.take_while(|size| *size > 0).flat_map(move |size| {
        (0..choices.len()).step_by(size).map(move |at| {
            let end = (at + size).min(choices.len());
            [&choices[..at], &choices[end..]].concat()
        })
    });
    let lowered = (0..choices.len())
        .filter(|at| choices[*at] > 0)
        .flat_map(move |at| {
            [0, choices[at] - 1].map(|lower| {
                let mut lowered = choices.to_vec();
                lowered[at] = lower;
                lowered
            })
        });
    left_out.chain(lowered)
}
