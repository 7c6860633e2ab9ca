// The memory store's segments: a list for each channel.

import EventModel

extension MemoryStore {
    func segment(
        of message: Timetoken, in channel: Channel
    ) -> (segment: Segment, through: Timetoken) {
        let all = working.segments[channel, default: []]
        let later = all.firstIndex { $0.after >= message } ?? all.count
        let segment = later > 0 ? all[later - 1] : Segment(after: .zero)
        return (segment, later < all.count ? all[later].after : .end)
    }

    func setSegment(_ segment: Segment, of channel: Channel) {
        var all = working.segments[channel, default: []]
        all.removeAll { $0.after == segment.after }
        all.append(segment)
        working.segments[channel] = all.sorted { $0.after < $1.after }
    }

    func removeSegments(from start: Timetoken, before end: Timetoken, of channel: Channel) {
        working.segments[channel]?.removeAll { $0.after >= start && $0.after < end }
    }
}
