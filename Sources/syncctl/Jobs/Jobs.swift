// Runs one job over a connected client.

import EventModel
import SyncClient

/// What stops a job that the client itself would have gone on with.
struct JobError: Error {
    /// One sentence that says what to do.
    let message: String
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
        case .subscribe(let following): try await follow(following)
        case .publish(let channel, let message): try await publish(message, to: channel)
        case .react(let reacting): try await react(reacting)
        case .history(let reading): try await showHistory(reading)
        case .actions(let query, let limit): try await showActions(query, limit: limit)
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
        switch reacting.change {
        case .add:
            let (action, applied) = try await client.addAction(
                reacting.value, type: reacting.type, to: message, in: reacting.channel)
            let outcome = applied == .added ? "added to" : "stands already on"
            write(
                json: json.line(applied: applied.rawValue, to: action),
                human: "\(printable(reacting.value)) \(outcome) \(message)")
        case .remove:
            let applied = try await client.removeAction(
                reacting.value, type: reacting.type, from: message, in: reacting.channel)
            let outcome = applied == .removed ? "removed from" : "was not there on"
            write(
                json: json.line(applied: applied.rawValue, to: nil),
                human: "\(printable(reacting.value)) \(outcome) \(message)")
        }
    }

    private func timetoken(
        of target: Reacting.Target, in channel: String
    ) async throws -> Timetoken {
        switch target {
        case .timetoken(let timetoken): return timetoken
        case .last:
            let page = try await client.history(HistoryQuery(channel: channel, limit: 1))
            guard let message = page.messages.last else {
                throw JobError(
                    message: """
                        \(printable(channel)) has no message yet. Send one first: \
                        syncctl publish \(printable(channel)) hello
                        """)
            }
            return message.timetoken
        }
    }

    // MARK: Reading

    private func showHistory(_ reading: HistoryReading) async throws {
        var messages: [StoredMessage] = []
        var before = reading.before
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

    private func showActions(_ query: ActionsQuery, limit: Int?) async throws {
        var left = limit ?? .max
        var query = query
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
