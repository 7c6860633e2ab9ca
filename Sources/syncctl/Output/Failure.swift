// Why the tool stops, for people and for programs. Pure.

import EventModel
import SyncClient
import SyncDaemon

/// What went wrong, what to do, and what the shell learns.
struct Failure: Hashable {
    /// Stable across releases.
    var code: String
    var message: String
    /// Empty where the message says what to do.
    var advice = ""
    var retryAfterSeconds: Int?
    /// 1: it failed; 2: the command line makes no sense.
    var exitCode: Int32 = 1
}

extension Failure {
    init(_ error: UsageError) {
        let help = ["syncctl", error.subcommand?.rawValue, "--help"].compactMap(\.self)
        self.init(
            code: "usage", message: error.message,
            advice: "See \(help.joined(separator: " ")).", exitCode: 2)
    }

    /// - Returns: `nil` for what is no failure: Ctrl-C while it was still connecting.
    init?(_ error: any Error) {
        switch error {
        case let error as JobError:
            self.init(code: error.code, message: error.message, advice: error.advice)
        case SyncClientError.closed:
            return nil
        case let error as SyncClientError:
            self.init(code: error.code, message: error.problem, advice: Self.advice(on: error))
            if case .refused(let refusal) = error { retryAfterSeconds = refusal.retryAfterSeconds }
            if case .invalidURL = error { exitCode = 2 }
        case let error as TransferProblem:
            self.init(code: error.code, message: error.message)
        case let error as DeviceStoreError:
            self.init(code: "cache", message: error.description)
        default:
            self.init(code: "failed", message: "\(error)")
        }
    }

    /// In the words of the command line.
    private static func advice(on error: SyncClientError) -> String {
        switch error {
        case .cannotConnect:
            "\(error.advice) Start it with `systemctl start syncdaemon`, or from the sources with"
                + " `make run`."
        case .unknownHost: "Check --url, or the network."
        case .notSyncDaemon: "Check the host, the port and the path of --url."
        case .untrusted(_, let reason) where reason.hasPrefix("the CA file"):
            "Give --ca-file the PEM file of an authority."
        case .untrusted:
            "Name the host as its certificate does, or its authority with --ca-file."
        default: error.advice
        }
    }

    /// One line for people.
    var sentence: String { advice.isEmpty ? message : "\(message) \(advice)" }
}
