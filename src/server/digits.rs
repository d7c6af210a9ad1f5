//! Numbers as text without formatting machinery, for what is written for every request.

/// Writes a number in decimal.
pub(crate) fn decimal(number: u64, out: &mut Vec<u8>) {
    if number >= 10_000 {
        decimal(number / 10_000, out);
        out.extend_from_slice(&fixed::<4>(number % 10_000));
        return;
    }
    let [thousands, hundreds, tens, ones] = fixed(number);
    if number >= 1000 {
        out.push(thousands);
    }
    if number >= 100 {
        out.push(hundreds);
    }
    if number >= 10 {
        out.push(tens);
    }
    out.push(ones);
}

/// Returns the last digits of a number in decimal.
pub(crate) fn fixed<const DIGITS: usize>(number: u64) -> [u8; DIGITS] {
    let mut digits = [b'0'; DIGITS];
    let mut rest = number;
    for digit in digits.iter_mut().rev() {
        *digit += u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    digits
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
        for number in [
            0,
            7,
            10,
            99,
            100,
            999,
            1000,
            9999,
            10_000,
            1_000_000,
            70_006,
            u64::MAX,
        ] {
            let written = text(&|out| decimal(number, out));
            assert_eq!(written, format!("x{number}"));
        }
        assert_eq!(fixed::<3>(7), *b"007");
        assert_eq!(fixed::<6>(1_234_567), *b"234567");
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
