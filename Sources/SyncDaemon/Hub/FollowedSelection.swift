// A group or wildcard that a session follows, and who follows a wildcard.

import Basis
import EventModel

/// A session's interest in all channels of a group or wildcard.
final class FollowedSelection {
    let session: Session
    let selection: Selection
    let keyset: String
    let pace: Pace
    /// Whether its channels begin by themselves.
    let starts: Bool
    /// How the channels start that the device may have something of.
    let mode: SubscribedChannel.Mode
    /// Where the channels start as long as a reader looks for those that it has; `nil`: from now.
    var since: Timetoken?
    /// The question after them.
    var question: PageNumber?
    /// Up to here the device was told of all channels that had something.
    var cursor: Timetoken
    /// Those that it brought.
    private(set) var channels: Set<Channel> = []
    /// Those that wait for a turn with room, and from where each starts.
    var waiting = Queue<(channel: Channel, since: Timetoken?)>()
    /// What the device is to be told at the end of the turn.
    var news: SelectionNews
    /// In the list of those that have something to do at the end of the turn.
    var isListed = false
    var isEnded = false
    /// Its place among the watchers of a wildcard, in the order in which they came.
    var serial = 0

    init(
        of session: Session, _ request: FollowRequest, keyset: String, pace: Pace,
        mode: SubscribedChannel.Mode, since: Timetoken?, cursor: Timetoken
    ) {
        self.session = session
        self.keyset = keyset
        self.pace = pace
        starts = request.starts
        self.mode = mode
        self.since = since
        self.cursor = cursor
        selection = request.selection
        news = SelectionNews(request.selection, cursor: cursor)
    }

    /// Whether every channel that had something was brought.
    var isComplete: Bool { question == nil && waiting.isEmpty && since == nil }

    /// - Returns: Whether it is new.
    func add(_ channel: Channel) -> Bool { channels.insert(channel).inserted }

    /// - Returns: Whether it was there.
    func remove(_ channel: Channel) -> Bool { channels.remove(channel) != nil }

    /// The group; `nil` for a wildcard.
    var group: PolledGroup? {
        selection.kind == .group ? PolledGroup(following: selection.name, in: keyset) : nil
    }

    /// The wildcard; `nil` for a group.
    var wildcard: Channel? {
        selection.kind == .wildcard ? Channel(selection.name, keyset: keyset) : nil
    }
}

extension PolledGroup {
    /// A group, or the presence of its channels, as clients spell it.
    init(following spelling: String, in keyset: String) {
        let isPresence = spelling.hasSuffix(Channel.presenceSuffix)
        let name =
            isPresence ? String(spelling.dropLast(Channel.presenceSuffix.count)) : spelling
        self.init(group: ChannelGroup(name, keyset: keyset), isPresence: isPresence)
    }

    /// What a session follows of one of its names; `nil` for a wildcard, which an SDK may put into
    /// a group: its polls follow that, sessions name it.
    func channel(_ name: String) -> Channel? {
        let channel = Channel(name, keyset: group.keyset)
        guard !channel.isWildcard else { return nil }
        return isPresence ? channel.presence : channel
    }
}

extension SelectionNews {
    var isEmpty: Bool { channels.isEmpty && known.isEmpty && ended.isEmpty }

    /// Frames with so many names as one may have, one at least.
    ///
    /// - Parameter end: The cursor of the last: before it a device was not told of all.
    func parts(through end: Timetoken) -> [SelectionNews] {
        var rest = self
        var parts: [SelectionNews] = []
        repeat {
            var part = SelectionNews(selection, cursor: cursor)
            part.channels = rest.channels.takeFirst(Limits.selectedPerFrameMax)
            part.known = rest.known.takeFirst(Limits.selectedPerFrameMax)
            part.ended = rest.ended.takeFirst(Limits.selectedPerFrameMax)
            if rest.isEmpty { part.cursor = end }
            parts.append(part)
        } while !rest.isEmpty
        return parts
    }
}

extension Array {
    /// Removes the first elements, so many at most, and returns them.
    fileprivate mutating func takeFirst(_ count: Int) -> [Element] {
        let first = Array(prefix(count))
        removeFirst(first.count)
        return first
    }
}

extension Session {
    /// How many channels a selection has brought.
    func selectedCount(of selection: Selection) -> Int {
        selections[selection]?.channels.count ?? 0
    }
}

/// Who follows all channels of one wildcard, in the order in which they came.
struct Watchers {
    private var list: [FollowedSelection] = []
    private var lastSerial = 0
    /// Of channels that had news: the last watcher that was told of each.
    private var told: [Channel: Int] = [:]

    var isEmpty: Bool { list.isEmpty }
    var all: [FollowedSelection] { list }

    mutating func add(_ selection: FollowedSelection) {
        lastSerial += 1
        selection.serial = lastSerial
        list.append(selection)
    }

    mutating func remove(_ selection: FollowedSelection) {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].serial < selection.serial { low = middle + 1 } else { high = middle }
        }
        guard low < list.count, list[low] === selection else { return }
        list.remove(at: low)
        if list.isEmpty { told = [:] }
    }

    /// Those that have not been told of a channel; it is taken that they are now.
    ///
    /// - Complexity: O(those).
    mutating func unaware(of channel: Channel) -> ArraySlice<FollowedSelection> {
        guard let last = list.last else { return [] }
        let known = told[channel] ?? 0
        guard known < last.serial else { return [] }
        // Who is told twice takes no notice.
        if told.count >= Limits.channelsPerSessionMax { told = [:] }
        told[channel] = last.serial
        let first = list.lastIndex { $0.serial <= known }.map { $0 + 1 } ?? 0
        return list[first...]
    }
}
