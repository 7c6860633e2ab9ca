// What is promised to long polls: after a cursor that was handed out, each stored event once, in
// order, also when the daemon was another process then.

import EventModel
import JSON

@testable import SyncDaemon

/// Looks at every answer to a poll at the moment when it is written.
struct PollWitness {
    /// What a poll asked for when a reactor began with it.
    struct Ask {
        let cursor: Poller.Cursor
        /// Groups resolved.
        let channels: [Channel]
        /// Of the daemon that was asked.
        let life: Int

        func covers(_ channel: Channel) -> Bool { channels.contains { $0.covers(channel) } }
    }

    /// What no store keeps.
    private struct Unstored {
        let timetoken: Timetoken
        let channel: Channel
        let life: Int
    }

    /// The newest cursor that anybody was given, in whatever life of the daemon.
    private(set) var handedOut = Timetoken.zero
    private var unstored: [Unstored] = []
    private var newest = Timetoken.zero

    /// Another store is in the place of the present one: cursors mean nothing there.
    mutating func forget() {
        self = PollWitness()
    }

    /// Reactors are told of an event.
    mutating func see(_ event: Envelope, life: Int) -> String? {
        newest = event.timetoken
        if !event.isStored {
            unstored.append(
                Unstored(timetoken: event.timetoken, channel: event.channel, life: life))
        }
        guard event.timetoken <= handedOut else { return nil }
        return "\(event.timetoken) of \(event.channel.name) became visible behind \(handedOut), "
            + "which was handed out"
    }

    /// Reactors of a daemon that follows are told of an event.
    mutating func hear(_ event: Envelope, life: Int) {
        guard !event.isStored else { return }
        unstored.append(Unstored(timetoken: event.timetoken, channel: event.channel, life: life))
    }

    /// An answer is written.
    mutating func see(
        _ answer: PollAnswer, to ask: Ask, _ truth: Truth, floor: Timetoken, lineage: Int
    ) -> [String] {
        handedOut = max(handedOut, answer.cursor)
        var found = shape(of: answer, to: ask, truth)
        guard ask.cursor.timetoken > .zero, ask.cursor.lineage == lineage else { return found }
        let (cursor, end) = (ask.cursor.timetoken, answer.cursor)
        guard end >= cursor else {
            return found + ["held \(cursor) and was set back to \(end)"]
        }
        let got = Set(answer.events.map(\.timetoken))
        for missing in truth.owed(after: cursor, through: end, floor: floor, where: ask.covers)
        where !got.contains(missing) {
            found.append("held \(cursor), got \(end), and not \(missing), which is stored")
        }
        for event in unstored
        where event.life == ask.life && cursor < event.timetoken && event.timetoken <= end
            && event.timetoken.rawValue + Limits.unstoredTicksKept > newest.rawValue
            && ask.covers(event.channel) && !got.contains(event.timetoken)
        {
            found.append(
                "held \(cursor), got \(end), and not \(event.timetoken) of "
                    + "\(event.channel.name), which was announced")
        }
        return found
    }

    /// Events ascend, are between the cursors, were asked for, and are what somebody wrote.
    private func shape(of answer: PollAnswer, to ask: Ask, _ truth: Truth) -> [String] {
        var found: [String] = []
        var last = ask.cursor.timetoken
        for event in answer.events {
            if event.timetoken <= last { found.append("got \(event.timetoken) after \(last)") }
            last = event.timetoken
            if event.timetoken > answer.cursor {
                found.append("got \(event.timetoken) beyond its cursor \(answer.cursor)")
            }
            if !ask.covers(event.channel) {
                found.append("got \(event.timetoken) of \(event.channel.name), which is not its")
            }
            if let entry = truth.rows(of: event.channel.name).messages[event.timetoken],
                event.payload != Self.compact(entry.message.payload)
            {
                found.append("got \(event.timetoken) with another payload")
            }
        }
        return found
    }

    private static func compact(_ text: String) -> String? {
        do throws(JSONError) {
            return try JSONValue(parsing: text).compactText
        } catch {
            return nil
        }
    }
}
