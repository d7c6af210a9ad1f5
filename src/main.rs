//! The `logboom` binary.

/// It gives freed memory back soon, so that what the process holds follows what queries hold.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    logboom::cli::main()
}
