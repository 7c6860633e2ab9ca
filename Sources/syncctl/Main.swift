// The person's tool: reads the command line, connects, does one job, and says what went wrong.

import EventModel
import Glibc
import SyncClient

@main
enum SyncCtl {
    /// What the shell learns.
    private enum ExitCode {
        static let failed: Int32 = 1
        static let usage: Int32 = 2
    }

    static func main() async {
        let surroundings = Surroundings.ofThisProcess()
        do throws(UsageError) {
            let parser = ArgumentParser(surroundings: surroundings)
            switch try parser.parse(Array(CommandLine.arguments.dropFirst())) {
            case .help(let subcommand):
                Terminal.print(trimmed(Help.text(for: subcommand)))
            case .version:
                Terminal.print("syncctl \(Help.version)")
            case .simulate(let arguments):
                Terminal.complain(Simulator.run(arguments))
                exit(ExitCode.failed)
            case .run(let job, let options):
                let usesColor = Terminal.showsColor(environment: surroundings.environment)
                exit(await run(job, options, usesColor: usesColor))
            }
        } catch {
            let help = ["syncctl", error.subcommand?.rawValue, "--help"].compactMap(\.self)
            Terminal.complain("\(error.message) See \(help.joined(separator: " ")).")
            exit(ExitCode.usage)
        }
    }

    /// - Returns: The exit code.
    private static func run(_ job: Job, _ options: Options, usesColor: Bool) async -> Int32 {
        if case .cache(let checking) = job {
            return await run(checking, options, usesColor: usesColor)
        }
        let client: SyncClient
        do throws(SyncClientError) {
            client = SyncClient(
                try SyncClient.Configuration(
                    url: options.url, userID: options.user, deviceID: options.device,
                    keyset: options.keyset))
        } catch {
            Terminal.complain("\(error)")
            return ExitCode.usage
        }
        if case .subscribe = job {
            Interrupt.handle {
                Task {
                    await client.close()
                    exit(0)
                }
            }
        }
        let failure = await failure(of: job, by: client, options, usesColor: usesColor)
        await client.close()
        guard let failure else { return 0 }
        Terminal.complain(failure)
        return ExitCode.failed
    }

    /// - Returns: The exit code.
    private static func run(
        _ checking: CacheChecking, _ options: Options, usesColor: Bool
    ) async -> Int32 {
        do {
            try await CacheJobRunner(checking, options: options, usesColor: usesColor).run()
            return 0
        } catch let error as JobError {
            Terminal.complain(error.message)
        } catch {
            Terminal.complain("\(error)")
        }
        return ExitCode.failed
    }

    /// - Returns: One sentence; `nil` when all went well.
    private static func failure(
        of job: Job, by client: SyncClient, _ options: Options, usesColor: Bool
    ) async -> String? {
        do {
            let runner = JobRunner(client: client, options: options, usesColor: usesColor)
            if case .subscribe = job {} else { try await client.connect() }
            try await runner.run(job)
            return nil
        } catch let error as JobError {
            return error.message
        } catch let error as SyncClientError {
            if case .cannotConnect = error { return "\(error) Start it with `make run`." }
            if case .closed = error { return nil }  // Ctrl-C while it was still connecting.
            return "\(error)"
        } catch {
            return "\(error)"
        }
    }

    private static func trimmed(_ text: String) -> String {
        text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
