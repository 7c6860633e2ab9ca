// How far a poll's backlog was read: it may be over so many channels that it takes several steps.
//
// The steps need not see the same commit. What changes meanwhile has a later timetoken than the
// first one saw: it is after the page's end, and comes with the next.

import EventModel

/// A backlog on its way: first channels are found, then each is read.
struct BacklogReading: Sendable {
    let cursor: Timetoken
    let limit: Int
    /// Whether it has what went all at once, too.
    var bringsDeletions = false
    /// To be looked for, the last first.
    private var interests: [Interest]
    private var seen: Set<Channel> = []
    /// Those that were found and are to be read, the last first.
    private var channels: [Channel] = []
    /// To be read after these.
    ///
    /// Others hold the same lists: hundreds of polls of a few groups may wait, and a copy for each
    /// would be most of the memory.
    private let lists: [[Channel]]
    private let listedCount: Int
    /// What is next of them.
    private var place = (list: 0, index: 0)
    /// The newest commit that the first step saw is where it ends.
    private(set) var merged: BacklogMerge?
    private(set) var isExhausted = false

    /// - Parameters:
    ///   - lists: Channels by name; what is presence or a wildcard in them is passed over.
    ///   - interests: What is looked for besides.
    init(
        of lists: [[Channel]] = [], _ interests: [Interest], after cursor: Timetoken, limit: Int
    ) {
        self.lists = lists
        listedCount = lists.reduce(0) { $0 + $1.count }
        isExhausted = listedCount > Limits.backlogChannelsMax
        self.interests = interests.reversed()
        self.cursor = cursor
        self.limit = limit
    }

    /// What was found; `nil` when these are more than ``Limits/backlogChannelsMax`` channels.
    ///
    /// - Precondition: It is exhausted.
    var backlog: Backlog? { merged?.backlog }

    /// - Parameter last: The newest commit of this step; the first step's counts.
    mutating func begin(at last: Timetoken) {
        if merged == nil, !isExhausted { merged = BacklogMerge(limit: limit, last: last) }
    }

    /// What has to be looked for next; `nil` once all channels were found.
    var interest: Interest? { interests.last }

    /// Takes some of the channels of that interest.
    ///
    /// - Parameter rest: Where to look for further ones; `nil` when these are all.
    mutating func found(_ channels: [Channel], rest: Interest?) {
        interests.removeLast()
        if let rest { interests.append(rest) }
        self.channels += channels.filter { seen.insert($0).inserted }
        guard listedCount + self.channels.count > Limits.backlogChannelsMax else { return }
        merged = nil
        isExhausted = true
    }

    /// The next channel to be read, and up to where; `nil` when there is none left.
    mutating func next() -> (channel: Channel, through: Timetoken)? {
        guard let merged, let channel = channels.popLast() ?? nextListed() else {
            seen = []
            isExhausted = true
            return nil
        }
        return (channel, merged.through)
    }

    private mutating func nextListed() -> Channel? {
        while place.list < lists.count {
            guard place.index < lists[place.list].count else {
                place = (place.list + 1, 0)
                continue
            }
            let channel = lists[place.list][place.index]
            place.index += 1
            if !channel.isPresence, !channel.isWildcard, !seen.contains(channel) { return channel }
        }
        return nil
    }

    /// Takes a page of a channel, up to where ``next()`` said.
    mutating func add(_ page: ChangePage) { merged?.add(page) }
}
