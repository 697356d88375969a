//! [`ByteSet`]: a set of bytes, small enough to stay in the cache with what uses it.

/// A set of bytes: one bit each, half a cache line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    /// Those for which `is_in` says so.
    pub(crate) fn new(is_in: impl Fn(u8) -> bool) -> Self {
        let mut words = [0; 4];
        for byte in (0..=u8::MAX).filter(|byte| is_in(*byte)) {
            words[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        ByteSet(words)
    }

    /// Whether it has this byte.
    #[inline]
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSet;

    #[test]
    fn it_has_what_was_put_in() {
        let set = ByteSet::new(|byte| byte % 7 == 3);
        for byte in 0..=u8::MAX {
            assert_eq!(set.has(byte), byte % 7 == 3);
        }
    }
}
