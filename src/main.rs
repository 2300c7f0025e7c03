//! The binary: parse, run, exit code.

// A cluster of objects is cloned and dropped all day: a fifth to a third of the time of `simulate` with the
// system's allocator is spent in it, and far more with musl's (BENCHMARKS.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    kubectl_jobset::cli::main()
}
