// What a command line asks for.

/// Where the programs and files are that a run needs.
struct Places: Hashable {
    /// The daemon's binary.
    var daemon = ".build/release/syncdaemon"
    /// The program that `Benchmarks/floor/floor.c` becomes.
    var floor = ".build/bench/floor"
    /// The folder with the configurations of the other servers.
    var peers = "Benchmarks/peers"
    /// The python that has socketify.
    var python = ".venv-bench/bin/python"
    /// The folder for stores and logs; it should lie on the disk that is to be measured.
    var work = ".build/bench"
    /// A file for the lines of `--json` besides what is printed; none when empty.
    var save = ""
}

/// One run of measurements.
struct Run: Hashable {
    let subcommand: Subcommand
    var settings: Settings
    var servers: [ServerKind]
    var places: Places
    /// Write one JSON object per line instead of tables.
    var writesJSON = false
}

/// A command line that makes sense.
enum Invocation: Hashable {
    case help(Subcommand?)
    case run(Run)
    /// - Parameter tolerance: By how many percent a value may be worse.
    case compare(old: String, new: String, tolerance: Int)
}
