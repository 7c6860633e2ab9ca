// The person's tool: reads the command line, connects, does one job, and says what went wrong.

import EventModel
import Glibc
import SyncClient

@main
enum SyncCtl {
    static func main() async {
        let surroundings = Surroundings.ofThisProcess()
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Also when the command line makes no sense otherwise.
        let writesJSON = arguments.prefix { $0 != "--" }.contains("--json")
        do throws(UsageError) {
            switch try ArgumentParser(surroundings: surroundings).parse(arguments) {
            case .help(let subcommand):
                Terminal.print(trimmed(Help.text(for: subcommand)))
            case .version:
                Terminal.print("syncctl \(Release.version)")
            case .simulate(let arguments):
                end(Failure(code: "failed", message: Simulator.run(arguments)), writesJSON)
            case .run(let job, let options):
                let usesColor = Terminal.showsColor(environment: surroundings.environment)
                if let failure = await run(job, options, usesColor: usesColor) {
                    end(failure, writesJSON)
                }
                exit(0)
            }
        } catch {
            end(Failure(error), writesJSON)
        }
    }

    private static func end(_ failure: Failure, _ writesJSON: Bool) -> Never {
        Terminal.complain(
            writesJSON ? JSONFormat(user: "").line(for: failure) : failure.sentence,
            isWhole: writesJSON)
        exit(failure.exitCode)
    }

    /// - Returns: `nil` when all went well.
    private static func run(_ job: Job, _ options: Options, usesColor: Bool) async -> Failure? {
        do {
            if case .cache(let checking) = job {
                try await CacheJobRunner(checking, options: options, usesColor: usesColor).run()
                return nil
            }
            if case .token(let work) = job {
                try TokenJobRunner(options: options).run(work)
                return nil
            }
            if case .admin(let work) = job {
                try AdminJobRunner(options: options).run(work)
                return nil
            }
            if case .stats(let work) = job {
                try StatsJobRunner(options: options).run(work)
                return nil
            }
            if case .top(let work) = job {
                try await TopJob(work).run(showsColor: usesColor)
                return nil
            }
            if let transfer = TransferJobRunner(job, options: options) {
                try transfer.run()
                return nil
            }
            var configuration = try SyncClient.Configuration(
                url: options.url, userID: options.user, deviceID: options.device,
                keyset: options.keyset)
            configuration.publishKey = options.publishKey
            configuration.token = options.token
            configuration.transport = LibwebsocketsTransport(caFile: options.caFile)
            if case .chat(let chatting) = job {
                return try await chat(chatting, configuration, showsColor: usesColor)
            }
            let client = SyncClient(configuration)
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
            return failure
        } catch {
            return Failure(error)
        }
    }

    private static func chat(
        _ chatting: Chatting, _ configuration: SyncClient.Configuration, showsColor: Bool
    ) async throws -> Failure? {
        let client =
            if let cache = chatting.cache {
                try open(cache, configuration)
            } else {
                SyncClient(configuration)
            }
        do {
            try await ChatJob(chatting, client: client).run(showsColor: showsColor)
            await client.close()
            return nil
        } catch {
            await client.close()
            return Failure(error)
        }
    }

    private static func open(
        _ cache: String, _ configuration: SyncClient.Configuration
    ) throws -> SyncClient {
        // It holds what was said; one in memory has no file.
        if cache != ":memory:" { PrivateFile.make(cache) }
        return try SyncClient.open(cache: cache, configuration: configuration)
    }

    private static func failure(
        of job: Job, by client: SyncClient, _ options: Options, usesColor: Bool
    ) async -> Failure? {
        do {
            let runner = JobRunner(client: client, options: options, usesColor: usesColor)
            if case .subscribe = job {} else { try await client.connect() }
            try await runner.run(job)
            return nil
        } catch {
            return Failure(error)
        }
    }

    private static func trimmed(_ text: String) -> String {
        text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
