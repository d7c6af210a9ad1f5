//! The `logboom` binary.

fn main() -> std::process::ExitCode {
    logboom::cli::main()
}
