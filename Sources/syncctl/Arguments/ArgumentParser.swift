// From a command line to an `Invocation`. Pure: what it needs of the system is passed in.

import EventModel
import JSON
import SyncDaemon

/// What the system says about the user and the machine.
struct Surroundings: Hashable {
    var environment: [String: String] = [:]
    var hostName = "localhost"
    /// Of the account that the process runs under; a container's root seldom has `$USER`.
    var accountName = "root"
    var processID: Int32 = 1
}

/// Reads command lines.
struct ArgumentParser {
    let surroundings: Surroundings

    private static let globalValued: Set<String> = [
        "--url", "--user", "--device", "--keyset", "--publish-key", "--token", "--ca-file",
    ]
    private static let globalPlain: Set<String> = ["--json", "--help", "--version"]

    /// What every subcommand takes that is somebody's at a daemon: no operator's.
    private static func valued(_ subcommand: Subcommand?) -> Set<String> {
        let own = subcommand?.valuedOptions ?? []
        return subcommand?.isOperators == true ? own : globalValued.union(own)
    }

    /// - Parameter arguments: Without the program's name.
    func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        // Another program, with options of its own.
        if arguments.first == "sim" { return .simulate(Array(arguments.dropFirst())) }
        let subcommand = findSubcommand(in: arguments)
        do throws(UsageError) {
            return try parse(arguments, for: subcommand)
        } catch {
            throw UsageError(message: error.message, subcommand: error.subcommand ?? subcommand)
        }
    }

    private func parse(
        _ arguments: [String], for subcommand: Subcommand?
    ) throws(UsageError) -> Invocation {
        let tokens = try Tokens(
            arguments,
            valued: Self.valued(subcommand),
            plain: Self.globalPlain.union(subcommand?.plainOptions ?? []))
        if tokens.flags.contains("--version") { return .version }
        guard let first = tokens.words.first else {
            if tokens.flags.contains("--help") { return .help(nil) }
            throw UsageError(message: "Say what to do: \(Subcommand.list).")
        }
        if first == "help" {
            return .help(tokens.words.dropFirst().first.flatMap(Subcommand.init(rawValue:)))
        }
        guard let subcommand, first == subcommand.rawValue else {
            throw UsageError(
                message: "\"\(first)\" is none of the subcommands: \(Subcommand.list).")
        }
        if tokens.flags.contains("--help") { return .help(subcommand) }
        let reader = JobReader(words: Array(tokens.words.dropFirst()), tokens: tokens)
        return .run(try reader.job(subcommand), try options(tokens, for: subcommand))
    }

    /// The first word, which decides what options there are.
    private func findSubcommand(in arguments: [String]) -> Subcommand? {
        var isValue = false
        for argument in arguments {
            if isValue {
                isValue = false
            } else if argument.hasPrefix("-") {
                isValue = Self.globalValued.contains(argument)
            } else {
                return Subcommand(rawValue: argument)
            }
        }
        return nil
    }

    private func options(
        _ tokens: Tokens, for subcommand: Subcommand
    ) throws(UsageError) -> Options {
        let environment = surroundings.environment
        if let user = tokens.values["--user"], user.isEmpty {
            throw UsageError(message: "--user must not be empty.")
        }
        let user = tokens.values["--user"] ?? environment["USER", default: ""]
        var options = Options(
            user: user.isEmpty ? surroundings.accountName : user,
            device: defaultDevice(for: subcommand))
        if let url = environment["SYNCCTL_URL"], !url.isEmpty { options.url = url }
        if let url = tokens.values["--url"] { options.url = url }
        if let device = tokens.values["--device"] { options.device = device }
        if let keyset = tokens.values["--keyset"] { options.keyset = keyset }
        options.publishKey = tokens.values["--publish-key"]
        if let token = environment["SYNCCTL_TOKEN"], !token.isEmpty { options.token = token }
        if let token = tokens.values["--token"] { options.token = token }
        if let secret = environment["SYNCCTL_SECRET"], !secret.isEmpty { options.secret = secret }
        options.secretFile = tokens.values["--secret-file"]
        if let file = environment["SYNCCTL_CA_FILE"], !file.isEmpty { options.caFile = file }
        if let file = tokens.values["--ca-file"] { options.caFile = file }
        options.writesJSON = tokens.flags.contains("--json")
        return options
    }

    /// One name per machine, so that the daemon need not remember one for each call; who follows
    /// channels may do so in several terminals at one time, and gets a name of their own.
    private func defaultDevice(for subcommand: Subcommand) -> String {
        let name = "syncctl-\(surroundings.hostName)"
        return [.chat, .subscribe].contains(subcommand) ? "\(name)-\(surroundings.processID)" : name
    }
}

extension Subcommand {
    /// Whether it asks the daemon of this machine at the operators' socket.
    var isOperators: Bool { [.admin, .stats, .top].contains(self) }

    var valuedOptions: Set<String> {
        switch self {
        case .chat: ["--cache"]
        case .subscribe: ["--since", "--count", "--last"]
        case .publish: ["--meta", "--type"]
        case .react: ["--type"]
        case .delete: []
        case .history: ["--limit", "--before"]
        case .actions: ["--message", "--type", "--value", "--by", "--limit"]
        case .cache: ["--cache"]
        case .token: ["--bearer", "--secret-file"]
        case .export: ["--data-dir", "--database", "--output", "--channel", "--files"]
        case .import: ["--data-dir", "--input", "--from", "--into", "--channel", "--files"]
        case .admin: AdminCommand.valuedOptions.union(["--socket", "--data-dir"])
        case .stats: ["--interval", "--count", "--socket", "--data-dir"]
        case .top: ["--interval", "--socket", "--data-dir"]
        }
    }

    var plainOptions: Set<String> {
        switch self {
        case .publish: ["--text"]
        case .history: ["--actions"]
        case .react, .actions: ["--exact"]
        case .export: ["--all", "--tombstones"]
        case .import: ["--keep", "--dry-run"]
        case .admin: AdminCommand.options.subtracting(AdminCommand.valuedOptions)
        case .stats: ["--watch"]
        case .chat, .subscribe, .delete, .cache, .token, .top: []
        }
    }
}
