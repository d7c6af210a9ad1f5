//! FarmHash's 64-bit fingerprint, which FARM_FINGERPRINT is. The constants are those of FarmHash.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

fn mul(a: u64, b: u64) -> u64 {
    a.wrapping_mul(b)
}

fn sum<const N: usize>(terms: [u64; N]) -> u64 {
    terms.into_iter().fold(0, u64::wrapping_add)
}

/// The eight bytes at a place, which must exist.
fn word(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>());
    word.map_or(0, |word| u64::from_le_bytes(*word))
}

fn half_word(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    word.map_or(0, |word| u64::from(u32::from_le_bytes(*word)))
}

fn byte(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at).copied().map_or(0, u64::from)
}

fn rotate(value: u64, by: u32) -> u64 {
    value.rotate_right(by)
}

fn shift_mix(value: u64) -> u64 {
    value ^ (value >> 47)
}

fn mix(u: u64, v: u64, factor: u64) -> u64 {
    let a = shift_mix(mul(u ^ v, factor));
    mul(shift_mix(mul(v ^ a, factor)), factor)
}

/// Returns the fingerprint.
pub(super) fn fingerprint(bytes: &[u8]) -> u64 {
    match bytes.len() {
        0..=16 => up_to_16(bytes),
        17..=32 => up_to_32(bytes),
        33..=64 => up_to_64(bytes),
        _ => longer(bytes),
    }
}

/// The length as a term, and the factor that depends on it.
fn length_and_factor(bytes: &[u8]) -> (u64, u64) {
    let length = u64::try_from(bytes.len()).unwrap_or_default();
    (length, sum([K2, mul(length, 2)]))
}

fn up_to_16(bytes: &[u8]) -> u64 {
    let (length, factor) = length_and_factor(bytes);
    match bytes.len() {
        8.. => {
            let a = sum([word(bytes, 0), K2]);
            let b = word(bytes, bytes.len() - 8);
            let c = sum([mul(rotate(b, 37), factor), a]);
            let d = mul(sum([rotate(a, 25), b]), factor);
            mix(c, d, factor)
        }
        4..8 => {
            let a = half_word(bytes, 0);
            mix(
                sum([length, a << 3]),
                half_word(bytes, bytes.len() - 4),
                factor,
            )
        }
        1..4 => {
            let y = sum([byte(bytes, 0), byte(bytes, bytes.len() / 2) << 8]);
            let z = sum([length, byte(bytes, bytes.len() - 1) << 2]);
            mul(shift_mix(mul(y, K2) ^ mul(z, K0)), K2)
        }
        0 => K2,
    }
}

fn up_to_32(bytes: &[u8]) -> u64 {
    let (_, factor) = length_and_factor(bytes);
    let end = bytes.len();
    let a = mul(word(bytes, 0), K1);
    let b = word(bytes, 8);
    let c = mul(word(bytes, end - 8), factor);
    let d = mul(word(bytes, end - 16), K2);
    mix(
        sum([rotate(sum([a, b]), 43), rotate(c, 30), d]),
        sum([a, rotate(sum([b, K2]), 18), c]),
        factor,
    )
}

fn up_to_64(bytes: &[u8]) -> u64 {
    let (_, factor) = length_and_factor(bytes);
    let end = bytes.len();
    let a = mul(word(bytes, 0), K2);
    let b = word(bytes, 8);
    let c = mul(word(bytes, end - 8), factor);
    let d = mul(word(bytes, end - 16), K2);
    let y = sum([rotate(sum([a, b]), 43), rotate(c, 30), d]);
    let z = mix(y, sum([a, rotate(sum([b, K2]), 18), c]), factor);
    let e = mul(word(bytes, 16), factor);
    let f = word(bytes, 24);
    let g = mul(sum([y, word(bytes, end - 32)]), factor);
    let h = mul(sum([z, word(bytes, end - 24)]), factor);
    mix(
        sum([rotate(sum([e, f]), 43), rotate(g, 30), h]),
        sum([e, rotate(sum([f, a]), 18), g]),
        factor,
    )
}

/// The state of the loop over blocks of 64 bytes.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    fn block(&mut self, block: &[u8], factor: u64, nine: u64) {
        let Self { x, y, z, v, w } = self;
        *x = mul(rotate(sum([*x, *y, v.0, word(block, 8)]), 37), factor);
        *y = mul(rotate(sum([*y, v.1, word(block, 48)]), 42), factor);
        *x ^= mul(w.1, nine);
        *y = sum([*y, mul(v.0, nine), word(block, 40)]);
        *z = mul(rotate(sum([*z, w.0]), 33), factor);
        *v = weak(block, 0, mul(v.1, factor), sum([*x, w.0]));
        *w = weak(block, 32, sum([*z, w.1]), sum([*y, word(block, 16)]));
        std::mem::swap(z, x);
    }
}

fn weak(block: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let last = word(block, at + 24);
    let a = sum([a, word(block, at)]);
    let b = rotate(sum([b, a, last]), 21);
    let c = a;
    let a = sum([a, word(block, at + 8), word(block, at + 16)]);
    let b = sum([b, rotate(a, 44)]);
    (sum([a, last]), sum([b, c]))
}

fn longer(bytes: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let y = sum([mul(SEED, K1), 113]);
    let mut state = State {
        x: sum([mul(SEED, K2), word(bytes, 0)]),
        y,
        z: mul(shift_mix(sum([mul(y, K2), 113])), K2),
        v: (0, 0),
        w: (0, 0),
    };
    let whole = (bytes.len() - 1) / 64 * 64;
    for block in bytes.get(..whole).unwrap_or_default().chunks(64) {
        state.block(block, K1, 1);
    }
    let factor = sum([K1, (state.z & 0xff) << 1]);
    let rest = u64::try_from((bytes.len() - 1) % 64).unwrap_or_default();
    state.w.0 = sum([state.w.0, rest]);
    state.v.0 = sum([state.v.0, state.w.0]);
    state.w.0 = sum([state.w.0, state.v.0]);
    let last = bytes.get(bytes.len() - 64..).unwrap_or_default();
    state.block(last, factor, 9);
    let State { x, y, z, v, w } = state;
    mix(
        sum([mix(v.0, w.0, factor), mul(shift_mix(y), K0), z]),
        sum([mix(v.1, w.1, factor), x]),
        factor,
    )
}
