//! Numbers as text without formatting machinery, for what is written for every request.

/// Writes a number in decimal.
pub(crate) fn decimal(number: u64, out: &mut Vec<u8>) {
    padded(number, 1, out);
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
    let mut digits = [0; 16];
    for (digit, shift) in digits.iter_mut().zip((0..64).step_by(4).rev()) {
        *digit = hexadecimal_digit(number >> shift);
    }
    out.extend_from_slice(&digits);
}

/// Returns the last digit of a number in lower-case hexadecimal.
pub(crate) fn hexadecimal_digit(number: u64) -> u8 {
    let value = u8::try_from(number & 15).unwrap_or_default();
    // Without a branch, so that many are done at once.
    value + b'0' + u8::from(value > 9) * (b'a' - b'0' - 10)
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
        for number in [0, 9, 0x9a_bcde, u64::MAX] {
            let written = text(&|out| hexadecimal(number, out));
            assert_eq!(written, format!("x{number:016x}"));
        }
    }
}
