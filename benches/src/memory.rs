//! The memory that this process has.

use std::fs;

/// Resident memory in bytes, as the kernel counts it.
///
/// # Panics
///
/// Where there is no `/proc`.
pub fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux says it in /proc/self/status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a process has resident memory");
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim_end().parse().expect("a number of kB");
    kibibytes * 1_024
}

#[cfg(test)]
mod tests {
    use super::resident;

    #[test]
    fn memory_that_is_written_to_is_resident() {
        let before = resident();
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        assert!(resident() >= before + (16 << 20), "{} bytes", block.len());
    }
}
