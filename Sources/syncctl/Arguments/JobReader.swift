// What each subcommand makes of its words and options.

import EventModel
import JSON

/// Turns the words after the subcommand into a job.
struct JobReader {
    let words: [String]
    let tokens: Tokens

    func job(_ subcommand: Subcommand) throws(UsageError) -> Job {
        switch subcommand {
        case .subscribe: return .subscribe(try following())
        case .publish: return try publish()
        case .react: return .react(try reacting())
        case .history:
            return .history(
                HistoryReading(
                    channel: try onlyChannel(),
                    limit: try positive("--limit") ?? HistoryReading.defaultLimit,
                    before: try timetoken("--before"),
                    includesActions: tokens.flags.contains("--actions")))
        case .actions:
            let query = ActionsQuery(
                channel: try onlyChannel(), messageTimetoken: try timetoken("--message"),
                type: tokens.values["--type"], value: tokens.values["--value"],
                userID: tokens.lateValues["--user"])
            return .actions(query, limit: try positive("--limit"))
        case .cache: return .cache(try checking())
        }
    }

    private func following() throws(UsageError) -> Following {
        guard !words.isEmpty else { throw UsageError(message: "Name at least one channel.") }
        return Following(
            channels: words, since: try timetoken("--since"), count: try positive("--count"))
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
            payload: json ?? quoted(text), meta: meta, type: tokens.values["--type"])
        return .publish(channel: words[0], message)
    }

    private func reacting() throws(UsageError) -> Reacting {
        guard words.count == 4, let change = Reacting.Change(rawValue: words[0]) else {
            throw UsageError(
                message: "It goes: react add|remove CHANNEL MESSAGE_TIMETOKEN|last EMOJI.")
        }
        var target = Reacting.Target.last
        if words[2] != "last" {
            target = .timetoken(try timetoken(words[2], named: "The message"))
        }
        return Reacting(
            change: change, channel: words[1], target: target,
            type: tokens.values["--type"] ?? "reaction", value: words[3])
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
        return try timetoken(text, named: option)
    }

    private func timetoken(_ text: String, named name: String) throws(UsageError) -> Timetoken {
        guard let timetoken = Timetoken(text) else {
            throw UsageError(
                message: "\(name) must be a timetoken (17 digits), not \"\(text)\".")
        }
        return timetoken
    }

    private func positive(_ option: String) throws(UsageError) -> Int? {
        guard let text = tokens.values[option] else { return nil }
        guard let number = Int(text), number > 0 else {
            throw UsageError(message: "\(option) must be a number above 0, not \"\(text)\".")
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

    private func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension HistoryReading {
    /// What fits on a terminal.
    static let defaultLimit = 20
}
