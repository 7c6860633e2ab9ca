// What each subcommand makes of its words and options.

import EventModel
import JSON

/// Turns the words after the subcommand into a job.
struct JobReader {
    let words: [String]
    let tokens: Tokens

    func job(_ subcommand: Subcommand) throws(UsageError) -> Job {
        switch subcommand {
        case .chat: return .chat(try chatting())
        case .subscribe: return .subscribe(try following())
        case .publish: return try publish()
        case .react: return .react(try reacting())
        case .delete: return .delete(try deleting())
        case .history:
            return .history(
                HistoryReading(
                    channel: try onlyChannel(),
                    limit: try positive("--limit") ?? HistoryReading.defaultLimit,
                    before: try tokens.values["--before"].map { text throws(UsageError) in
                        text == "last"
                            ? .last : .timetoken(try timetoken(text, named: "--before"))
                    },
                    includesActions: tokens.flags.contains("--actions")))
        case .actions:
            let query = ActionsQuery(
                channel: try onlyChannel(), types: tokens.values["--type"].map { [$0] } ?? [],
                values: try tokens.values["--value"].map { text throws(UsageError) in
                    [try value(text)]
                } ?? [], userIDs: tokens.values["--by"].map { [$0] } ?? [])
            return .actions(
                ActionsReading(
                    query: query,
                    message: try tokens.values["--message"].map { text throws(UsageError) in
                        try messageName(text)
                    }, limit: try positive("--limit")))
        case .cache: return .cache(try checking())
        case .token: return .token(try tokenWork())
        case .export: return .export(try exporting())
        case .import: return .import(try importing())
        case .admin: return .admin(try administering())
        case .stats: return .stats(try lookingAtStats())
        case .top: return .top(try watchingTop())
        }
    }

    private func chatting() throws(UsageError) -> Chatting {
        guard !tokens.flags.contains("--json") else {
            throw UsageError(message: "chat is for people: programs use subscribe --json.")
        }
        if let file = tokens.values["--cache"], file.isEmpty {
            throw UsageError(message: "--cache needs the name of a file.")
        }
        return Chatting(channel: try onlyChannel(), cache: tokens.values["--cache"])
    }

    private func following() throws(UsageError) -> Following {
        guard !words.isEmpty else { throw UsageError(message: "Name at least one channel.") }
        let following = Following(
            channels: words, since: try timetoken("--since"), count: try positive("--count"),
            last: try positive("--last"))
        guard let last = following.last else { return following }
        guard words.count == 1, following.since == nil else {
            throw UsageError(message: "--last is for one channel, and goes without --since.")
        }
        guard last <= Limits.windowPageMessagesMax else {
            throw UsageError(
                message: "--last shows up to \(Limits.windowPageMessagesMax) messages.")
        }
        return following
    }

    private func publish() throws(UsageError) -> Job {
        guard words.count >= 2 else {
            throw UsageError(message: "Name a channel and what to publish.")
        }
        let text = words.dropFirst().joined(separator: " ")
        var meta: String?
        if let given = tokens.values["--meta"] {
            guard let json = compactJSON(given) else {
                throw UsageError(message: "--meta must be JSON, for example '{\"lang\":\"en\"}'.")
            }
            meta = json
        }
        let json = tokens.flags.contains("--text") ? nil : compactJSON(text)
        let message = Message(
            payload: json ?? JSONValue.quoted(text), meta: meta, type: tokens.values["--type"])
        return .publish(channel: words[0], message)
    }

    private func reacting() throws(UsageError) -> Reacting {
        guard words.count == 4, let change = Reacting.Change(rawValue: words[0]) else {
            throw UsageError(
                message: "It goes: react add|remove|toggle CHANNEL MESSAGE|last EMOJI.")
        }
        return Reacting(
            change: change, channel: words[1], target: try messageName(words[2]),
            type: tokens.values["--type"] ?? "reaction", value: try value(words[3]))
    }

    private func deleting() throws(UsageError) -> Deleting {
        guard (2...3).contains(words.count) else {
            throw UsageError(message: "It goes: delete CHANNEL MESSAGE|last [MESSAGE|last].")
        }
        let first = try messageName(words[1])
        let last = try messageName(words[words.count - 1])
        if case (.timetoken(let start), .timetoken(let end)) = (first, last), start > end {
            throw UsageError(message: "\(start) is newer than \(end): name the older one first.")
        }
        return Deleting(channel: words[0], first: first, last: last)
    }

    /// In the form that everybody's keyboards agree on, unless it is to be sent as it is.
    private func value(_ text: String) throws(UsageError) -> String {
        let value = tokens.flags.contains("--exact") ? text : ReactionValue.canonical(text)
        guard !value.isEmpty else {
            throw UsageError(message: "A reaction cannot be empty: give an emoji or a word.")
        }
        return value
    }

    private func checking() throws(UsageError) -> CacheChecking {
        guard let verb = words.first.flatMap(CacheChecking.Verb.init(rawValue:)) else {
            throw UsageError(message: "It goes: cache verify|repair --cache FILE [CHANNEL...].")
        }
        guard let file = tokens.values["--cache"], !file.isEmpty else {
            throw UsageError(message: "Name the device's cache file with --cache FILE.")
        }
        return CacheChecking(verb: verb, file: file, channels: Array(words.dropFirst()))
    }

    private func onlyChannel() throws(UsageError) -> String {
        guard words.count == 1 else { throw UsageError(message: "Name one channel.") }
        return words[0]
    }

    // MARK: Values

    private func timetoken(_ option: String) throws(UsageError) -> Timetoken? {
        guard let text = tokens.values[option] else { return nil }
        guard let timetoken = Timetoken(text) else {
            throw UsageError(
                message: "\(option) must be a timetoken (17 digits), or 0 for everything, "
                    + "not \"\(text)\".")
        }
        return timetoken
    }

    /// A number that cannot be a message's is refused here: the daemon would take it.
    private func messageName(_ text: String) throws(UsageError) -> MessageName {
        if text == "last" { return .last }
        guard let timetoken = Timetoken(text), (Self.firstDigits...).contains(timetoken.rawValue),
            text.utf8.count == 17
        else {
            throw UsageError(
                message: """
                    "\(text)" is no message: that is \"last\", or a timetoken of 17 digits, \
                    as syncctl history shows it.
                    """)
        }
        return .timetoken(timetoken)
    }

    /// The smallest number of 17 digits: a moment of the year 2001.
    private static let firstDigits: UInt64 = 10_000_000_000_000_000

    private func timetoken(_ text: String, named name: String) throws(UsageError) -> Timetoken {
        guard let timetoken = Timetoken(text) else {
            throw UsageError(
                message: "\(name) must be a timetoken (17 digits), not \"\(text)\".")
        }
        return timetoken
    }

    func positive(_ option: String) throws(UsageError) -> Int? {
        guard let text = tokens.values[option] else { return nil }
        guard let number = Int(text), number > 0 else {
            throw UsageError(message: "\(option) must be a whole number above 0, not \"\(text)\".")
        }
        return number
    }

    /// - Returns: `nil` when the text is not JSON, or more deeply nested than the daemon takes.
    private func compactJSON(_ text: String) -> String? {
        do throws(JSONError) {
            return try JSONValue(parsing: text).compactText
        } catch {
            return nil
        }
    }
}

extension HistoryReading {
    /// What fits on a terminal.
    static let defaultLimit = 20
}
