// A device that was away for too long to be told what changed: what does its repair take, beside
// reading everything through PubNub's API?

import Basis
import EventModel
import JSON

/// Reactions of which no two have the same key.
private struct ReactionSeries {
    let messages: [Timetoken]
    /// How many reactions each user has made so far.
    private var counts: [Int]
    private let stride: Int

    private static let values = ["👍", "❤️", "😂", "🎉", "😮", "😢"]

    init(_ messages: [Timetoken], authors: Int, rows: Int) {
        self.messages = messages
        counts = Array(repeating: 0, count: authors)
        stride = max(1, messages.count / max(1, rows / authors))
    }

    /// The next reaction of a user: each to another message, as long as there are any.
    mutating func next(by author: Int) -> Deed {
        let (round, offset) = (counts[author] * stride).quotientAndRemainder(
            dividingBy: messages.count)
        counts[author] += 1
        let message = (offset + author) % messages.count
        let value = Self.values[(author + message + round) % Self.values.count]
        return .add(value, to: messages[message], in: 0, by: author)
    }
}

/// A channel with many reactions, the users who react, and a device that is never away.
private final class RepairLoad {
    let server: Server
    private let authors: Authors
    private var reactions: ReactionSeries
    private let recorder: Conversation
    /// What stands, as the recorder has it.
    private(set) var truth: Replica
    private let epoch: String
    private var random = SeededGenerator(seed: 5)

    private static let name = FrameTemplate.channelName(0)
    /// Symbols that fit into one command.
    private static let symbolsPerCommand = 1300

    init(_ run: Run) throws(BenchError) {
        // What is removed is forgotten at once, so that every old cursor is too old.
        server = try Server(.syncdaemon, run, flags: ["--tombstone-days", "0"])
        let rows = run.settings[.reactions]
        let authors = try Authors(min(run.settings[.writers], rows), server)
        let messages = try authors.publish(
            (0..<run.settings[.messages]).map { number in
                .publish(
                    in: 0, by: number % authors.count,
                    text: "message \(number) of a room where much is said")
            })
        var reactions = ReactionSeries(messages, authors: authors.count, rows: rows)
        try authors.carryOut((0..<rows).map { reactions.next(by: $0 % authors.count) })
        recorder = try Conversation(server, user: "recorder")
        epoch = try recorder.reply(to: 0) { (json) throws(JSONError) in try json.string("epoch") }
        self.authors = authors
        self.reactions = reactions
        truth = try Self.subscribe(recorder)
        try follow { isEqual, _ in isEqual }
        guard truth.rows.count == rows else {
            throw BenchError("Of \(rows) reactions \(truth.rows.count) stand.")
        }
    }

    private static func subscribe(_ recorder: Conversation) throws(BenchError) -> Replica {
        try recorder.send([
            #"{"id":1,"op":"subscribe","channels":[{"name":"\#(name)","cursor":"0"}]}"#
        ])
        return try recorder.reply(to: 1) { (json) throws(JSONError) in
            Replica(key: try SubscribedReply(json.array("channels").element(at: 0)).key)
        }
    }

    /// Applies pushes to `truth` until that is enough.
    ///
    /// - Parameter isEnough: Gets whether the daemon said that the rows are its own, and how many
    ///   changes came.
    private func follow(until isEnough: (Bool, Int) -> Bool) throws(BenchError) {
        var changes = 0
        var isEqual = false
        while !isEnough(isEqual, changes) {
            let message = try recorder.next()
            guard FrameText.isPush(message) else { continue }
            do throws(JSONError) {
                let push = try Push(try unsafe JSONValue(parsing: message.span.bytes))
                changes += push.changes.count
                isEqual = truth.apply(push) == true
            } catch {
                throw BenchError("A push cannot be read: \(error)")
            }
        }
    }

    /// Makes half as many new reactions, and removes as many others.
    ///
    /// - Returns: What a device has that was away meanwhile.
    func change(_ differences: Int) throws(BenchError) -> Replica {
        let base = truth
        let gone = base.rows.keys.shuffled(using: &random).prefix(differences / 2)
        var deeds = gone.compactMap { key in
            Authors.number(key.uuid).map {
                Deed.remove(key.value, from: key.messageTimetoken, in: 0, by: $0)
            }
        }
        for _ in 0..<differences - deeds.count {
            deeds.append(reactions.next(by: Int.random(in: 0..<authors.count, using: &random)))
        }
        try authors.carryOut(deeds)
        try follow { isEqual, changes in isEqual && changes >= differences }
        return base
    }

    /// Lets a device come with what it has, and be repaired.
    func repair(_ base: Replica) throws(BenchError) -> RepairCost {
        let device = try Conversation(server, user: "device")
        _ = try device.reply(to: 0) { _ in }
        var replica = base
        let received = device.receivedBytes
        let cpu = try server.cpuNanoseconds
        let start = Clock.nanoseconds()
        try device.send([
            #"{"id":1,"op":"subscribe","channels":["#
                + base.request(Self.name, epoch: epoch) + "]}"
        ])
        let reply = try device.reply(to: 1) { (json) throws(JSONError) in
            try SubscribedReply(json.array("channels").element(at: 0))
        }
        guard reply.mode == "repair" else {
            throw BenchError("A device with a cursor that is too old got the mode \(reply.mode).")
        }
        let (difference, roundTrips) = try ask(
            device, about: base, segmentsOf: reply.segmentMessages)
        guard replica.apply(difference) else {
            throw BenchError("A repaired device is not what the daemon says.")
        }
        let seconds = Double(Clock.nanoseconds() - start) / 1e9
        let cost = RepairCost(
            receivedBytes: device.receivedBytes - received, sentBytes: device.sentBytes,
            roundTrips: roundTrips, seconds: seconds,
            cpuMilliseconds: Double(try server.cpuNanoseconds - cpu) / 1e6)
        guard replica.rows == truth.rows, replica.messages == truth.messages else {
            throw BenchError("A repaired device has other rows than one that was never away.")
        }
        return cost
    }

    /// Asks by segments if the daemon says so, else row by row.
    private func ask(
        _ device: Conversation, about base: Replica, segmentsOf mean: Int?
    ) throws(BenchError) -> (Difference, roundTrips: Int) {
        var (answer, roundTrips, id) = (RepairAnswer.whole, 0, 1)
        if let mean {
            answer = try ask(
                device, with: base.segmentItems(ofMessages: mean), 48, #""of":"segments","#, &id,
                &roundTrips)
        }
        var dropped: [Timetoken] = []
        if case .segments(let ranges, let states, _) = answer {
            var findings = StretchFindings(base.rows(in: ranges), comparedWith: states)
            dropped = findings.dropped
            repeat {
                if case .missing(let timetokens) = answer, !findings.miss(timetokens) { break }
                answer = try ask(device, about: base, ranges, findings, &id, &roundTrips)
            } while answer.isMissing
        } else if case .whole = answer {
            answer = try ask(device, with: base.items(), 32, "", &id, &roundTrips)
        }
        guard case .difference(var difference) = answer else {
            throw BenchError("A repair was answered: \(answer)")
        }
        difference.dropped += dropped
        return (difference, roundTrips)
    }

    /// Fetches what is known to be lacking, and has compared where more differs.
    private func ask(
        _ device: Conversation, about base: Replica, _ ranges: [MessageRange],
        _ findings: StretchFindings, _ id: inout Int, _ roundTrips: inout Int
    ) throws(BenchError) -> RepairAnswer {
        let (fetch, only) = (findings.choice.fetch, findings.choice.only)
        let choice =
            #""of":"rows","fetch":"\#(PackedWants.text(fetch))","#
            + #""only":"\#(PackedActions.text(ordinals: only))","#
        return try ask(
            device, with: only.isEmpty ? [] : base.items(in: only.map { ranges[$0] }),
            findings.symbolCount, choice, &id, &roundTrips)
    }

    /// Sends symbols of items until they tell something.
    private func ask(
        _ device: Conversation, with items: [RepairItem], _ first: Int, _ level: String,
        _ id: inout Int, _ roundTrips: inout Int
    ) throws(BenchError) -> RepairAnswer {
        var (sent, needed) = (0, first)
        while true {
            var symbols = RatelessEncoder(sent..<needed)
            for item in items { symbols.insert(item) }
            var questions: [String] = []
            for first in stride(from: sent, to: max(needed, 1), by: Self.symbolsPerCommand) {
                let run = symbols.run(first..<min(needed, first + Self.symbolsPerCommand))
                id += 1
                questions.append(
                    #"{"id":\#(id),"op":"repair","channel":"\#(Self.name)",\#(level)"from":"#
                        + #"\#(first),"count":\#(run.itemCount),"symbols":"\#(run.text)"}"#)
            }
            try device.send(questions)
            roundTrips += 1
            // The others are answered before.
            let answer = try device.reply(to: id) { (json) throws(JSONError) in
                try RepairAnswer(json)
            }
            guard case .needs(let count) = answer else { return answer }
            guard count > needed else {
                throw BenchError("After \(needed) symbols the daemon asks for \(count).")
            }
            (sent, needed) = (needed, count)
        }
    }

    /// Reads the same through PubNub's interface.
    func read(_ way: PubNubReading.Way) throws(BenchError) -> RepairCost {
        let cpu = try server.cpuNanoseconds
        let start = Clock.nanoseconds()
        let reading = try PubNubReading(way, of: 0, on: server)
        let cost = RepairCost(
            receivedBytes: reading.receivedBytes, sentBytes: reading.sentBytes,
            roundTrips: reading.requests, seconds: Double(Clock.nanoseconds() - start) / 1e9,
            cpuMilliseconds: Double(try server.cpuNanoseconds - cpu) / 1e6)
        var replica = Replica(key: truth.key)
        for action in reading.actions { replica.put(action) }
        guard replica.rows == truth.rows else {
            throw BenchError(
                "PubNub's pages have \(reading.actions.count) actions, not the"
                    + " \(truth.rows.count) that stand.")
        }
        return cost
    }
}

/// What it took to make one device equal.
struct RepairCost {
    var receivedBytes: Int
    var sentBytes: Int
    var roundTrips: Int
    var seconds: Double
    var cpuMilliseconds: Double

    /// Medians and worst values.
    static func values(_ costs: [RepairCost]) -> [Metric: Double] {
        let columns: [(Metric, Metric, (RepairCost) -> Double)] = [
            (.receivedMedian, .receivedWorst, { Double($0.receivedBytes) }),
            (.sentMedian, .sentWorst, { Double($0.sentBytes) }),
            (.roundTripsMedian, .roundTripsWorst, { Double($0.roundTrips) }),
            (.repairMedian, .repairWorst, { $0.seconds * 1000 }),
            (.repairCPUMedian, .repairCPUWorst, { $0.cpuMilliseconds }),
        ]
        return columns.reduce(into: [:]) { values, column in
            let numbers = costs.map(column.2)
            values[column.0] = numbers.median
            values[column.1] = numbers.max()
        }
    }
}

extension Scenario {
    /// Per number of differences two records, `turn=1` for the first device that comes with them
    /// and `turn=2` for the next; then PubNub's two interfaces.
    static func repair(_ run: Run) throws(BenchError) -> [Record] {
        let load = try RepairLoad(run)
        let rows = run.settings[.reactions]
        var records: [Record] = []
        for differences in [10, 100, 1000] where differences * 20 <= rows {
            var turns: [[RepairCost]] = [[], []]
            for _ in 0..<run.settings[.rounds] {
                let base = try load.change(differences)
                for turn in turns.indices { turns[turn].append(try load.repair(base)) }
            }
            for (turn, costs) in turns.enumerated() {
                records.append(
                    Record(
                        scenario: "repair", server: .syncdaemon,
                        parameters: [
                            "rows": rows, "messages": run.settings[.messages],
                            "differences": differences, "turn": turn + 1,
                        ],
                        values: RepairCost.values(costs)))
            }
        }
        for way in PubNubReading.Way.allCases {
            var costs: [RepairCost] = []
            for _ in 0..<min(3, run.settings[.rounds]) { costs.append(try load.read(way)) }
            records.append(
                Record(
                    scenario: way == .actions ? "pubnub-actions" : "pubnub-history",
                    server: .syncdaemon, parameters: ["rows": rows],
                    values: RepairCost.values(costs)))
        }
        return records
    }
}
