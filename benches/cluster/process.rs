//! What a process has used, from /proc.

use crate::Res;

/// User and system time.
pub(crate) fn cpu_s(pid: u32) -> Res<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .ok_or("stat")?
        .split_whitespace()
        .collect();
    // After the name: state is field 0, utime 11, stime 12, in ticks of 10 ms.
    Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / 100.0)
}

/// Largest resident size so far.
pub(crate) fn peak_mib(pid: u32) -> Res<f64> {
    status(pid, "VmHWM:")
}

/// Resident size now.
pub(crate) fn resident_mib(pid: u32) -> Res<f64> {
    status(pid, "VmRSS:")
}

fn status(pid: u32, field: &str) -> Res<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status
        .lines()
        .find_map(|l| l.strip_prefix(field))
        .ok_or("status")?;
    let kib: f64 = line.split_whitespace().next().ok_or("status")?.parse()?;
    Ok(kib / 1024.0)
}
