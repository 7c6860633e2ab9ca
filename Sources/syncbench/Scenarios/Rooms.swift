// Channels of unlike popularity, with reactions that come and go.

import Basis
import EventModel

/// Draws numbers so that the first are drawn more often.
struct Popularity {
    private let sums: [Double]

    /// Rank r has the weight 1/√r: a milder Zipf law, under which the most popular of 2,000 rooms
    /// is 45 times as popular as the last.
    init(count: Int) {
        var sum = 0.0
        sums = (1...max(1, count)).map { rank in
            sum += 1 / Double(rank).squareRoot()
            return sum
        }
    }

    func draw(using random: inout SeededGenerator) -> Int {
        let point = Double.random(in: 0..<(sums.last ?? 0), using: &random)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] <= point { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Different numbers; all of them when so many are asked for.
    func draw(_ count: Int, using random: inout SeededGenerator) -> [Int] {
        guard count < sums.count else { return Array(sums.indices) }
        var drawn: Set<Int> = []
        var list: [Int] = []
        while list.count < count {
            let number = draw(using: &random)
            if drawn.insert(number).inserted { list.append(number) }
        }
        return list
    }
}

/// The channels, who follows which, and the users who react.
///
/// Users are there while they write: nobody answers the daemon's pings for them meanwhile, which
/// on a machine with other work takes longer than it waits.
final class Rooms {
    /// Per device, its channels.
    let followed: [[Int]]
    private let server: Server
    private let popularity: Popularity
    private var random = SeededGenerator(seed: 20)
    private var rooms: [Room]

    private let messagesPerRoom: Int
    private static let authorCount = 500
    private static let values = ["👍", "❤️", "😂", "🎉", "😮", "😢"]

    private struct Room {
        let messages: [Timetoken]
        /// How many reactions were ever made.
        var count = 0
        var standing: [Reaction] = []
    }

    private struct Reaction {
        let author: Int
        let message: Timetoken
        let value: String
    }

    init(_ run: Run, _ server: Server) throws(BenchError) {
        let channels = run.settings[.channels]
        let popularity = Popularity(count: channels)
        var random = SeededGenerator(seed: 10)
        followed = (0..<run.settings[.subscribers]).map { _ in
            popularity.draw(run.settings[.follows], using: &random)
        }
        self.popularity = popularity
        let authors = try Authors(Self.authorCount, server)
        let count = run.settings[.messages]
        messagesPerRoom = count
        let messages = try authors.publish(
            (0..<channels * count).map { number in
                .publish(
                    in: number / count, by: number % authors.count,
                    text: "message \(number % count) of a room")
            })
        self.server = server
        rooms = (0..<channels).map { channel in
            Room(messages: Array(messages[channel * count..<(channel + 1) * count]))
        }
        var deeds: [Deed] = []
        for _ in 0..<run.settings[.reactions] {
            for channel in 0..<channels { deeds.append(add(in: channel)) }
        }
        try authors.carryOut(deeds)
    }

    /// Adds and removes, as many of each, where most devices are.
    func change(_ count: Int) throws(BenchError) {
        var deeds: [Deed] = []
        for number in 0..<count {
            let channel = popularity.draw(using: &random)
            let isAdd = number % 2 == 0 || rooms[channel].standing.isEmpty
            deeds.append(isAdd ? add(in: channel) : remove(in: channel))
        }
        try Authors(Self.authorCount, server).carryOut(deeds)
    }

    /// A reaction with a key that is new in its channel, for the first thousands.
    private func add(in channel: Int) -> Deed {
        let number = rooms[channel].count
        rooms[channel].count += 1
        let reaction = Reaction(
            author: (channel * 50 + number) % Self.authorCount,
            message: rooms[channel].messages[number % messagesPerRoom],
            value: Self.values[
                (number / messagesPerRoom + number / Self.authorCount) % Self.values.count])
        rooms[channel].standing.append(reaction)
        return .add(reaction.value, to: reaction.message, in: channel, by: reaction.author)
    }

    private func remove(in channel: Int) -> Deed {
        let place = Int.random(in: rooms[channel].standing.indices, using: &random)
        rooms[channel].standing.swapAt(place, rooms[channel].standing.count - 1)
        let reaction = rooms[channel].standing.removeLast()
        return .remove(reaction.value, from: reaction.message, in: channel, by: reaction.author)
    }
}
