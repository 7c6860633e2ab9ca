// An engine for tests that need little of one: everything that they do not name refuses or is
// empty.

import EventModel

@testable import SyncDaemon

extension Engine {
    static func standIn(
        reactor: Int = 0, keysets: Keysets = Keysets(),
        submit: @escaping (Write) -> Bool = { _ in false },
        announce: @escaping (Announcement) -> Announced = { _ in .refused },
        ask: @escaping (ReadRequest) -> Bool = { _ in false },
        askPresence: @escaping (PresenceRequest) -> Bool = { _ in false },
        groups: ChannelGroups = ChannelGroups(), newest: @escaping () -> Timetoken = { .zero },
        wallTicks: @escaping () -> UInt64 = { 1 }
    ) -> Engine {
        Engine(
            reactor: reactor, epoch: "e.f", judge: { _, _ in .known }, tombstoneFloor: { .zero },
            deletionFloor: { .zero },
            digestKey: makeSecret().key, keysets: keysets, submit: submit, commitSoon: {},
            announce: announce, ask: ask, askPresence: askPresence, groups: groups,
            newest: newest, settled: { (newest(), newest()) }, freshCursor: { _ in .at(newest()) },
            began: .zero, wallTicks: wallTicks)
    }
}
