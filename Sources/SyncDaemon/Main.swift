// The program: reads what it is asked, and does it. Start reading at `Service.run`, then `Node`.

import Glibc

@main
enum SyncDaemon {
    static func main() {
        let code = run(Array(CommandLine.arguments.dropFirst()))
        fflush(nil)
        // Not `exit`: the reactors still run, and what C libraries tear down at exit is theirs,
        // too.
        _exit(code)
    }

    private static func run(_ arguments: [String]) -> Int32 {
        do throws(ConfigurationError) {
            switch try Invocation.parse(arguments) {
            case .serve(let arguments):
                return Service.run(try load(arguments))
            case .checkConfiguration(let arguments):
                _ = try load(arguments)
                print("The configuration is right.")
            case .printConfiguration(let arguments):
                print(try load(arguments).text(), terminator: "")
            case .showVersion:
                print("syncdaemon \(Invocation.version)")
            case .showHelp(let text):
                print(text, terminator: text.hasSuffix("\n") ? "" : "\n")
            }
            return 0
        } catch {
            complain("syncdaemon: \(error)")
            return 2
        }
    }

    private static func load(_ arguments: ServeArguments) throws(ConfigurationError)
        -> Configuration
    {
        try Configuration.load(arguments: arguments, environment: ProcessEnvironment.all())
    }
}
