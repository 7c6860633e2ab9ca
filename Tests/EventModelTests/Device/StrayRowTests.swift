// Rows of a damaged file that are none of the device's: they go from the file, too.

import Testing

@testable import EventModel

@Suite("Stray rows")
struct StrayRowTests {
    private func at(_ ticks: UInt64) -> Timetoken { Timetoken(rawValue: ticks) }

    private func entry(_ text: String) -> DeviceCache.Entry {
        DeviceCache.Entry(uuid: "bob", message: Message(payload: text))
    }

    /// Found by a world: rows that were in the file of a window before its first page came were
    /// among those of the page when the file was read again.
    @Test(
        "what is before a window is dropped from what is kept",
        arguments: [ChannelRest.all, ChannelRest(after: Timetoken(rawValue: 20), digest: .empty)])
    func before(rest: ChannelRest) throws {
        let action = MessageAction(
            key: MessageAction.Key(
                messageTimetoken: at(11), type: "reaction", value: "👻", uuid: "nobody"),
            actionTimetoken: at(12))
        let inside = rest.contains(at(30)) ? [:] : [at(30): entry("30")]
        let base = ChannelBase(
            messages: [at(10): entry("boo")].merging(inside) { $1 }, actions: [action],
            ChannelHeader(cursor: at(40), epoch: "e", key: nil, digest: .empty, rest: rest))
        var device = Device(user: "ada")

        let effects = device.follow("room", base: base, window: .last(1))

        guard case .channel("room", let header, let rows)? = effects.writes.first else {
            Issue.record("Nothing is dropped: \(effects.writes)")
            return
        }
        #expect(header.rest == rest)
        #expect(Set(rows) == [.messageDropped(at(10), entry("boo")), .actionDropped(action)])
        #expect(device.channel("room")?.base.cache.messages == inside)
        #expect(effects.writes.count == 1)
    }

    /// Found by a world: a file of a window that had not opened was damaged, and then followed
    /// whole.
    ///
    /// The row stayed there, and was one of the channel's when the file was read again.
    @Test("so it is by who follows all of the channel from then on")
    func whole() {
        let base = ChannelBase(
            messages: [at(10): entry("boo")], actions: [],
            ChannelHeader(cursor: at(40), epoch: "e", key: nil, digest: .empty, rest: .all))
        var device = Device(user: "ada")

        let effects = device.follow("room", base: base)

        guard case .channel("room", let header, let rows)? = effects.writes.first else {
            Issue.record("Nothing is dropped: \(effects.writes)")
            return
        }
        #expect(header.rest == .none)
        #expect(header.cursor == .zero)
        #expect(rows == [.messageDropped(at(10), entry("boo"))])
    }
}
