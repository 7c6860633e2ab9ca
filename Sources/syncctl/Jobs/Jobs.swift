// Runs one job over a connected client.

import EventModel
import SyncClient

/// What stops a job that the client itself would have gone on with.
struct JobError: Error {
    /// Stable across releases.
    var code = "failed"
    /// One sentence that says what is.
    let message: String
    /// One sentence that says what to do; may be empty.
    var advice = ""
}

extension JobError {
    /// The daemon closed for good.
    ///
    /// - Parameter reason: It may begin with a code of the daemon's, and be cut at the end, with an
    ///   ellipsis or, by an earlier release, without: a close frame has room for 123 bytes.
    init(closedBecause reason: String) {
        let parts = reason.split(separator: ": ", maxSplits: 1)
        let isCode = parts.count == 2 && parts[0].allSatisfy { $0 == "_" || $0.isLowercase }
        code = isCode ? String(parts[0]) : "failed"
        var text = isCode ? String(parts[1]) : reason
        let isWhole = text.last == "." || text.last == "…"
        if !isWhole, let whole = text.ranges(of: ". ").last {
            text = String(text[..<whole.lowerBound])
        }
        message = isWhole ? text : "\(text)."
    }
}

/// A job with everything it needs.
struct JobRunner {
    let client: SyncClient
    let options: Options
    let human: HumanFormat
    let json: JSONFormat

    init(client: SyncClient, options: Options, usesColor: Bool) {
        self.client = client
        self.options = options
        human = HumanFormat(usesColor: usesColor, user: options.user)
        json = JSONFormat(user: options.user)
    }

    func run(_ job: Job) async throws {
        switch job {
        case .chat(let chatting):
            try await ChatJob(chatting, client: client).run(showsColor: human.usesColor)
        case .subscribe(let following): try await follow(following)
        case .publish(let channel, let message): try await publish(message, to: channel)
        case .react(let reacting): try await react(reacting)
        case .delete(let deleting): try await delete(deleting)
        case .history(let reading): try await showHistory(reading)
        case .actions(let reading): try await showActions(reading)
        case .token(let work): try TokenJobRunner(options: options).run(work)
        case .admin(let work): try AdminJobRunner(options: options).run(work)
        case .stats(let work): try StatsJobRunner(options: options).run(work)
        case .top(let work): try await TopJob(work).run(showsColor: human.usesColor)
        case .export, .import: try TransferJobRunner(job, options: options)?.run()
        case .cache(let checking):
            // Has a client of its own, with the file's identity.
            try await CacheJobRunner(checking, options: options, usesColor: human.usesColor).run()
        }
    }

    /// Writes in the format that was asked for.
    func write(json: @autoclosure () -> String, human: @autoclosure () -> String) {
        Terminal.print(options.writesJSON ? json() : human())
    }

    // MARK: Writing

    private func publish(_ message: Message, to channel: String) async throws {
        let timetoken = try await client.publish(message, to: channel)
        write(json: json.line(published: timetoken), human: "\(timetoken)")
    }

    private func react(_ reacting: Reacting) async throws {
        let message = try await timetoken(of: reacting.target, in: reacting.channel)
        var change = reacting.change
        if change == .toggle {
            change = try await own(reacting, on: message) == nil ? .add : .remove
        }
        switch change {
        case .add, .toggle:
            let (action, applied) = try await client.addAction(
                reacting.value, type: reacting.type, to: message, in: reacting.channel)
            write(
                json: json.line(applied: applied.rawValue, to: action),
                human: human.line(
                    for: reacting.value, applied: applied, score: action.score, message))
        case .remove:
            let applied = try await client.removeAction(
                reacting.value, type: reacting.type, from: message, in: reacting.channel)
            // Where only one is taken off, the answer does not say how many are left.
            var left: Int?
            if applied == .removed, !options.writesJSON {
                left = try await own(reacting, on: message)?.score
            }
            write(
                json: json.line(applied: applied.rawValue, to: nil),
                human: human.line(for: reacting.value, removal: applied, left: left, message))
        }
    }

    /// The user's own action, if it stands: a toggle becomes a wish for one thing or the other.
    private func own(
        _ reacting: Reacting, on message: Timetoken
    ) async throws -> MessageAction? {
        var query = ActionsQuery(
            channel: reacting.channel, messageTimetoken: message, types: [reacting.type],
            values: [reacting.value], userIDs: [options.user], limit: 1)
        repeat {
            let page = try await client.actions(query)
            if let action = page.actions.first { return action }
            query.after = page.next
        } while query.after != nil
        return nil
    }

    private func delete(_ deleting: Deleting) async throws {
        let first = try await timetoken(of: deleting.first, in: deleting.channel)
        let last = try await timetoken(of: deleting.last, in: deleting.channel)
        let range = HistoryQuery(
            channel: deleting.channel, before: Timetoken(rawValue: last.rawValue + 1),
            after: Timetoken(rawValue: first.rawValue - 1), limit: 1)
        guard try await !client.history(range).messages.isEmpty else {
            throw JobError(
                code: "no_message",
                message: "\(printable(deleting.channel)) has no such message: nothing was deleted.",
                advice: "syncctl history \(printable(deleting.channel)) shows what there is.")
        }
        let start = Timetoken(rawValue: first.rawValue - 1)
        let timetoken = try await client.deleteMessages(
            in: deleting.channel, after: start, through: last)
        write(
            json: json.line(deletedAfter: start, through: last, at: timetoken),
            human: first == last ? "deleted \(last)" : "deleted \(first) to \(last)")
    }

    private func timetoken(
        of target: MessageName, in channel: String
    ) async throws -> Timetoken {
        switch target {
        case .timetoken(let timetoken): return timetoken
        case .last:
            let page = try await client.history(HistoryQuery(channel: channel, limit: 1))
            guard let message = page.messages.last else {
                throw JobError(
                    code: "no_message", message: "\(printable(channel)) has no message yet.",
                    advice: "Send one first: syncctl publish \(printable(channel)) hello")
            }
            return message.timetoken
        }
    }

    // MARK: Reading

    private func showHistory(_ reading: HistoryReading) async throws {
        var messages: [StoredMessage] = []
        var before: Timetoken?
        if let name = reading.before {
            before = try await timetoken(of: name, in: reading.channel)
        }
        repeat {
            let page = try await client.history(
                HistoryQuery(
                    channel: reading.channel, before: before,
                    limit: min(reading.limit - messages.count, Limits.historyPageMax),
                    includesActions: reading.includesActions))
            messages = page.messages + messages
            before = page.next
        } while before != nil && messages.count < reading.limit

        for message in messages {
            if options.writesJSON {
                Terminal.print(
                    json.line(for: message, showsActions: reading.includesActions))
            } else {
                for line in human.lines(for: message) { Terminal.print(line) }
            }
        }
        guard !options.writesJSON else { return }
        if messages.isEmpty {
            Terminal.complain("\(printable(reading.channel)) has no messages there.")
        } else if let before {
            Terminal.complain("there is more: --before \(before)")
        }
    }

    private func showActions(_ reading: ActionsReading) async throws {
        var left = reading.limit ?? .max
        var query = reading.query
        if let name = reading.message {
            query.messageTimetoken = try await timetoken(of: name, in: query.channel)
        }
        var isEmpty = true
        repeat {
            query.limit = min(left, Limits.actionsPageMax)
            let page = try await client.actions(query)
            for action in page.actions {
                write(json: json.line(for: action), human: human.line(for: action))
            }
            isEmpty = isEmpty && page.actions.isEmpty
            left -= page.actions.count
            query.after = page.next
        } while query.after != nil && left > 0
        if isEmpty, !options.writesJSON {
            Terminal.complain("\(printable(query.channel)) has no actions like that.")
        }
    }
}
