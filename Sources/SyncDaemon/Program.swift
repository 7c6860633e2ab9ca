// The program: reads what it is asked, and does it. Start reading at `Service.run`, then `Node`.

import EventModel

/// The daemon as a program runs it; the one name that this module shows.
public enum Program {
    /// Does what the arguments ask, until that is done.
    ///
    /// - Parameter arguments: Without the program's own name.
    /// - Returns: The exit code; threads may still run.
    public static func run(_ arguments: [String]) -> Int32 {
        do throws(ConfigurationError) {
            let environment = ProcessEnvironment.all()
            switch try Invocation.parse(arguments) {
            case .serve(let arguments):
                return Service.run {
                    Configuration.examineFile(arguments: arguments, environment: environment)
                }
            case .checkConfiguration(let arguments):
                let examination = Configuration.examineFile(
                    arguments: arguments, environment: environment)
                return ConfigurationCheck.run(
                    examination, isPublic: arguments.isPublic, asksServer: arguments.asksServer)
            case .printConfiguration(let arguments):
                let examination = Configuration.examineFile(
                    arguments: arguments, environment: environment)
                guard examination.mistakes.isEmpty else {
                    examination.complain()
                    return 2
                }
                print(examination.configuration.text(), terminator: "")
            case .backUp(let arguments):
                return Copying.backUp(try load(arguments.serve), to: arguments.file)
            case .salvage(let arguments):
                return Copying.salvage(try load(arguments.serve), to: arguments.file)
            case .restore(let arguments):
                return Copying.restore(
                    try load(arguments.serve), from: arguments.file, at: arguments.moment)
            case .verify(let arguments):
                return Copying.verify(arguments.file)
            case .copyStore(let arguments):
                return StoreCopying.run(arguments)
            case .plan(let use, let asJSON):
                let cost = PlannedCost(use)
                print(
                    asJSON ? Planning.json(cost) : Planning.text(use, cost), terminator: "")
            case .showVersion:
                print("syncdaemon \(Release.version)")
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
