//! MD5 (RFC 1321) and SHA-1 (RFC 3174). For fingerprints of values only: both are broken as security.

/// Pads a message to whole blocks: a one bit, zeros, and the length in bits.
fn padded(message: &[u8], length: [u8; 8]) -> Vec<u8> {
    let mut out = message.to_vec();
    out.push(0x80);
    while out.len() % 64 != 56 {
        out.push(0);
    }
    out.extend(length);
    out
}

fn bits(message: &[u8]) -> u64 {
    u64::try_from(message.len())
        .unwrap_or(u64::MAX)
        .wrapping_mul(8)
}

/// The 16 words of a block.
fn words(block: &[u8], read: fn([u8; 4]) -> u32) -> Vec<u32> {
    let (words, _) = block.as_chunks::<4>();
    words.iter().map(|word| read(*word)).collect()
}

/// Returns the MD5 digest.
pub(super) fn md5(message: &[u8]) -> [u8; 16] {
    const SHIFTS: [[u32; 4]; 4] = [
        [7, 12, 17, 22],
        [5, 9, 14, 20],
        [4, 11, 16, 23],
        [6, 10, 15, 21],
    ];
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded(message, bits(message).to_le_bytes()).chunks(64) {
        let words = words(block, u32::from_le_bytes);
        let [mut a, mut b, mut c, mut d] = state;
        for (round, shifts) in SHIFTS.iter().enumerate() {
            for step in 0..16 {
                let (mix, word) = match round {
                    0 => (b & c | !b & d, step),
                    1 => (d & b | !d & c, (5 * step + 1) % 16),
                    2 => (b ^ c ^ d, (3 * step + 5) % 16),
                    _ => (c ^ (b | !d), 7 * step % 16),
                };
                let number = u32::try_from(round * 16 + step + 1).unwrap_or_default();
                let constant = (f64::from(number).sin().abs() * 4_294_967_296.0) as u32;
                let sum = a
                    .wrapping_add(mix)
                    .wrapping_add(constant)
                    .wrapping_add(words.get(word).copied().unwrap_or_default());
                let shift = shifts.get(step % 4).copied().unwrap_or_default();
                (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(shift)));
            }
        }
        for (state, value) in state.iter_mut().zip([a, b, c, d]) {
            *state = state.wrapping_add(value);
        }
    }
    let mut out = [0; 16];
    for (to, word) in out.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *to = word.to_le_bytes();
    }
    out
}

/// Returns the SHA-1 digest.
pub(super) fn sha1(message: &[u8]) -> [u8; 20] {
    let mut state = [
        0x6745_2301_u32,
        0xefcd_ab89,
        0x98ba_dcfe,
        0x1032_5476,
        0xc3d2_e1f0,
    ];
    for block in padded(message, bits(message).to_be_bytes()).chunks(64) {
        let mut words = words(block, u32::from_be_bytes);
        for at in 16..80 {
            let mixed = [3, 8, 14, 16]
                .iter()
                .filter_map(|back| words.get(at - back))
                .fold(0, |mixed, word| mixed ^ word);
            words.push(mixed.rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (step, word) in words.iter().enumerate() {
            let (mix, constant) = match step / 20 {
                0 => (b & c | !b & d, 0x5a82_7999_u32),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6),
            };
            let sum = a
                .rotate_left(5)
                .wrapping_add(mix)
                .wrapping_add(e)
                .wrapping_add(constant)
                .wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
        }
        for (state, value) in state.iter_mut().zip([a, b, c, d, e]) {
            *state = state.wrapping_add(value);
        }
    }
    let mut out = [0; 20];
    for (to, word) in out.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *to = word.to_be_bytes();
    }
    out
}
