//! The binary: parse, run, exit code.

fn main() -> std::process::ExitCode {
    kubectl_jobset::cli::main()
}
