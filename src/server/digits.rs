//! Numbers as text without formatting machinery, for what is written for every request.

/// Writes a number in decimal.
pub(crate) fn decimal(number: u64, out: &mut Vec<u8>) {
    match u8::try_from(number) {
        Ok(digit @ 0..10) => out.push(b'0' + digit),
        _ => padded(number, 1, out),
    }
}

/// Writes a number in decimal with at least this many digits.
pub(crate) fn padded(number: u64, width: usize, out: &mut Vec<u8>) {
    // No number of 64 bits has more digits.
    let mut digits = [b'0'; 20];
    let mut rest = number;
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        if rest == 0 && count >= width {
            break;
        }
        *digit += u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        count += 1;
    }
    out.extend_from_slice(digits.get(digits.len() - count..).unwrap_or_default());
}

/// Writes a number in lower-case hexadecimal, all 16 digits.
pub(crate) fn hexadecimal(number: u64, out: &mut Vec<u8>) {
    let half = u64::from(u32::MAX);
    for half in [number >> 32, number & half] {
        out.extend_from_slice(&eight_digits(half).to_be_bytes());
    }
}

/// Writes a byte in lower-case hexadecimal, both digits.
pub(crate) fn hexadecimal_byte(byte: u8, out: &mut Vec<u8>) {
    let digits = eight_digits(byte.into()).to_be_bytes();
    out.extend_from_slice(digits.last_chunk::<2>().unwrap_or(b"00"));
}

/// Returns a number of 32 bits in lower-case hexadecimal, a digit in each byte, all of them at once.
fn eight_digits(number: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Every four bits get a byte of their own.
    let spread = (number | number << 16) & 0x0000_ffff_0000_ffff;
    let spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
    let values = (spread | spread << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    // 1 in the bytes of more than 9.
    let letters = (values + 6 * ONES) >> 4 & ONES;
    values + u64::from(b'0') * ONES + u64::from(b'a' - b'0' - 10) * letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let text = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut out = b"x".to_vec();
            write(&mut out);
            String::from_utf8(out).unwrap()
        };
        for number in [0, 7, 10, 999, 1_000_000, u64::MAX] {
            let written = text(&|out| decimal(number, out));
            assert_eq!(written, format!("x{number}"));
            let written = text(&|out| padded(number, 3, out));
            assert_eq!(written, format!("x{number:03}"));
        }
        assert_eq!(text(&|out| padded(1, 20, out)), format!("x{:020}", 1));
        for number in [0, 9, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, u64::MAX] {
            let written = text(&|out| hexadecimal(number, out));
            assert_eq!(written, format!("x{number:016x}"));
        }
        for byte in 0..=u8::MAX {
            let written = text(&|out| hexadecimal_byte(byte, out));
            assert_eq!(written, format!("x{byte:02x}"));
        }
    }
}
