// Somebody who follows channels by summaries: what it shows must come to what the rows come to.

import Basis
import EventModel
import JSON

@testable import SyncClient
@testable import SyncDaemon

/// A client that holds messages and groups, and no rows.
final class SummaryFollower: LineOwner {
    private struct Shown {
        var cursor = Timetoken.zero
        var messages: Set<Timetoken> = []
        var groups: [Timetoken: (position: Timetoken, totals: [ActionName: ActionTotals])] = [:]
        /// Messages of which a clearing may have taken something, and when that was.
        var doubtful: [Timetoken: Timetoken] = [:]
        /// The newest clearing of no message: a summary from before may come later.
        var cleared = Timetoken.zero
        /// Ranges of deleted messages: likewise.
        var deletions: [(range: MessageRange, position: Timetoken)] = []

        /// What nobody told of a message may be another now: it was read after the cursor.
        mutating func doubtAll() {
            for message in messages { doubtful[message] = .zero }
        }

        /// What is after the cursor comes again, unless the store was put back to before it.
        mutating func forgetWhatIsAhead() {
            messages = messages.filter { $0 <= cursor }
            deletions = deletions.filter { $0.position <= cursor }
            cleared = min(cleared, cursor)
            for (message, group) in groups where group.position > cursor {
                groups[message] = nil
                doubtful[message] = .zero
            }
        }
    }

    private unowned let world: World
    private let line: Line
    private var channels: [String: Shown] = [:]
    /// Of the cursors, and of the present connection.
    private var epoch: String?
    private var greeted: String?
    private var isFollowing = false
    /// Whether the store may have been put back since it first followed.
    private var hasMetAnother = false
    /// What stores deleted that are lost: it may lack that of the one that was put back, for it was
    /// not told of it yet, and has no state that would tell.
    private var undone: [String: [MessageRange]] = [:]
    /// The channels that questions for summaries are about.
    private var questions: [CommandID: String] = [:]
    private var lastID: CommandID = 2

    init(in world: World) {
        self.world = world
        for name in world.setting.channels { channels[name] = Shown() }
        line = Line("s0", in: world)
        line.begin(for: self)
        line.stumble()
    }

    /// Grows with what it hears.
    var heard: UInt64 { channels.values.reduce(0) { $0 &+ $1.cursor.rawValue } }

    // MARK: The connection

    func opened() { line.send(line.hello(), id: 1) }

    func lost() {
        isFollowing = false
        questions = [:]
    }

    // MARK: What comes

    func heard(_ message: [UInt8]) {
        do throws(JSONError) {
            let frame = try unsafe JSONValue(parsing: message.span.bytes, depthMax: 64)
            if frame.member("c") != nil { return take(try SummaryPush(frame)) }
            if frame.member("error") != nil {
                world.trace("s0 ← \(frame.compactText)")
                // The daemon stops, or has too much to do.
                line.cut()
            } else if try frame.optionalInteger("id") == 1 {
                try greeted(frame.object("ok"))
            } else if try frame.optionalInteger("id") == 2 {
                try subscribed(frame.object("ok"))
            } else if let id = try frame.optionalInteger("id"),
                let channel = questions.removeValue(forKey: id)
            {
                let decoder = ReplyDecoder(keyset: Channel.defaultKeyset)
                answered(try decoder.summariesPage(frame.object("ok")).summaries, in: channel)
            }
        } catch {
            world.violation("wire", "a follower by summaries cannot read a frame: \(error)")
        }
    }

    private func greeted(_ welcome: borrowing JSONValue) throws(JSONError) {
        greeted = try welcome.string("epoch")
        let isOther = greeted != epoch
        let requests = channels.map { name, shown in
            // What was deleted ahead of the cursor may stand again in a store that was put back.
            let isUnsure = isOther && shown.deletions.contains { $0.position > shown.cursor }
            return SubscribeRequest(
                channel: name, cursor: isUnsure ? .zero : shown.cursor, epoch: epoch,
                actions: .summary)
        }
        line.send(.subscribe(requests.sorted { $0.channel < $1.channel }), id: 2)
    }

    private func subscribed(_ result: borrowing JSONValue) throws(JSONError) {
        let list = try result.array("channels")
        for index in 0..<list.count {
            let channel = list.element(at: index)
            // Who begins with everything is told of nothing that was deleted.
            world.trace("s0 follows \(channel.compactText)")
            let (mode, cursor) = (try channel.string("mode"), try channel.string("cursor"))
            let name = try channel.string("name")
            if mode == "snapshot" || cursor == "0" {
                channels[name] = Shown()
            } else {
                channels[name]?.forgetWhatIsAhead()
                if greeted != epoch { channels[name]?.doubtAll() }
            }
        }
        hasMetAnother = hasMetAnother || epoch != nil && greeted != epoch
        epoch = greeted
        isFollowing = true
        for name in channels.keys.sorted() { askForDoubtful(in: name) }
    }

    private func take(_ push: SummaryPush) {
        guard var shown = channels[push.channel] else { return }
        for envelope in push.events {
            switch envelope.event {
            case .message where envelope.isStored: shown.messages.insert(envelope.timetoken)
            case .messagesDeleted(let start, let end):
                let range = MessageRange(after: start, through: end)
                shown.deletions.append((range, envelope.timetoken))
                shown.messages = shown.messages.filter { !range.contains($0) }
                // A summary that knows of the deletion may come before it.
                shown.groups = shown.groups.filter {
                    !range.contains($0.key) || $0.value.position >= envelope.timetoken
                }
            case .actionsCleared(let clearing) where clearing.messageTimetoken == nil:
                for message in shown.groups.keys { shown.doubtful[message] = envelope.timetoken }
                shown.cleared = envelope.timetoken
            case .actionAdded, .actionRemoved:
                world.violation("wire", "who wants summaries got an action")
            default: break
            }
        }
        world.trace(
            "s0 ← \(push.channel) \(push.events.map { Trace.tail($0.timetoken) }) "
                + "\(push.summaries.map { Trace.tail($0.messageTimetoken) }) "
                + "through \(Trace.tail(push.cursor))")
        for summary in push.summaries { put(summary, in: &shown) }
        shown.cursor = max(shown.cursor, push.cursor)
        channels[push.channel] = shown
        askForDoubtful(in: push.channel)
    }

    /// What a clearing of no message leaves has to be asked for.
    private func askForDoubtful(in channel: String) {
        guard isFollowing, let doubtful = channels[channel]?.doubtful, !doubtful.isEmpty,
            !questions.values.contains(channel)
        else { return }
        let some = doubtful.keys.sorted().prefix(Limits.summariesMax)
        lastID += 1
        questions[lastID] = channel
        let query = SummariesQuery(
            channel: channel, messages: some.map { SummariesQuery.Message($0) })
        line.send(.summaries(query), id: lastID)
    }

    private func answered(_ summaries: [MessageSummary], in channel: String) {
        guard var shown = channels[channel] else { return }
        world.tally.count("summaries asked for")
        for summary in summaries {
            put(summary, in: &shown)
            // Asked for before another clearing it says nothing of that.
            let since = shown.doubtful[summary.messageTimetoken] ?? .zero
            if summary.position >= since { shown.doubtful[summary.messageTimetoken] = nil }
        }
        channels[channel] = shown
        askForDoubtful(in: channel)
    }

    private func put(_ summary: MessageSummary, in shown: inout Shown) {
        let (message, position) = (summary.messageTimetoken, summary.position)
        guard shown.groups[message].map({ $0.position <= position }) ?? true,
            !shown.deletions.contains(where: {
                $0.range.contains(message) && $0.position > position
            })
        else { return }
        world.tally.count("summary")
        var totals: [ActionName: ActionTotals] = [:]
        for group in summary.groups {
            totals[ActionName(type: group.type, value: group.value)] = ActionTotals(
                count: group.count, score: group.score)
        }
        shown.groups[message] = (position, totals)
        if position < shown.cleared { shown.doubtful[message] = shown.cleared }
    }

    /// Another store comes into the place of this one.
    func isToLose(_ truth: Truth) {
        for name in channels.keys {
            undone[name, default: []] += truth.rows(of: name).deletions.map {
                MessageRange(after: $0.after, through: $0.through)
            }
        }
    }

    // MARK: At the end

    /// Nothing keeps it from the daemon any more.
    func heal() {
        line.wake()
        line.cut()
    }

    /// Whether it shows what there is.
    var isAtRest: Bool { isFollowing && difference == nil }

    /// What it shows otherwise than the rows say.
    var difference: String? {
        for (name, shown) in channels {
            let rows = world.truth.rows(of: name)
            let undone = undone[name] ?? []
            let lacking = Set(rows.messages.keys).subtracting(shown.messages)
                .filter { message in undone.contains { $0.contains(message) } }
            let others = shown.messages.symmetricDifference(rows.messages.keys)
                .subtracting(lacking)
            if let first = others.min() {
                let word = shown.messages.contains(first) ? "has" : "lacks"
                return "it \(word) \(first) and \(others.count - 1) others in \(name)"
            }
            var totals: [Timetoken: [ActionName: ActionTotals]] = [:]
            for (key, mark) in rows.actions {
                var total =
                    totals[key.messageTimetoken]?[ActionName(key)] ?? ActionTotals()
                total.count += 1
                total.score += mark.score
                totals[key.messageTimetoken, default: [:]][ActionName(key)] = total
            }
            for message in totals.keys {
                let told = rows.toldVersions(of: message)
                totals[message] = totals[message]?.filter { name, _ in
                    !MessageVersion.isType(name.type.string) || told.contains(name)
                }
            }
            totals = totals.filter { !$0.value.isEmpty }
            var groups = shown.groups.mapValues(\.totals).filter { !$0.value.isEmpty }
            if hasMetAnother {
                // It knows of no message that is gone, and so cannot ask about it.
                let known = Set(rows.messages.keys).subtracting(lacking)
                totals = totals.filter { known.contains($0.key) }
                groups = groups.filter { known.contains($0.key) }
            }
            if groups != totals { return "\(groups) in \(name), and not \(totals)" }
        }
        return nil
    }

    /// For a report.
    var state: String { "s0 shows \(difference ?? "all")" }
}
