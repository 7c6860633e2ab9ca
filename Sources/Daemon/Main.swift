// The executable `syncdaemon`: all of it is in the library, which simulations link too.

import Glibc
import SyncDaemon

@main
enum Daemon {
    static func main() {
        let code = Program.run(Array(CommandLine.arguments.dropFirst()))
        fflush(nil)
        // Not `exit`: the reactors still run, and what C libraries tear down at exit is theirs,
        // too.
        _exit(code)
    }
}
