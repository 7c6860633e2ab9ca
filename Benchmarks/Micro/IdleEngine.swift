// An engine for a hub whose followers are all live: it is never asked.

import EventModel

@testable import SyncDaemon

/// Nothing waits, nothing is read, and nothing is written.
struct IdleEngine: Engine {
    let reactor = 0
    let epoch = "e.f"
    let began = Timetoken.zero
    let groups = ChannelGroups()
    let revocations = Revocations()
    let keyGrants = KeyGrants()
    let newest = Timetoken.zero
    let tombstoneFloor = Timetoken.zero
    let deletionFloor = Timetoken.zero
    var settled: (visible: Timetoken, durable: Timetoken) { (.zero, .zero) }

    func submit(_ write: Write) -> Bool { false }
    func commitSoon() {}
    func announce(_ announcement: Announcement) -> Announced { .refused }
    func ask(_ request: ReadRequest) -> Bool {
        preconditionFailure("A live subscription asked a reader.")
    }
    func askPresence(_ request: PresenceRequest) -> Bool { false }
    func follow(_ channel: Channel) -> (visible: Timetoken, durable: Timetoken) { (.zero, .zero) }
    func unfollow(_ channel: Channel) {}
    func judge(_ cursor: Timetoken, of epoch: String?) -> CursorJudgement { .known }
    func freshCursor(for origin: Origin) -> Announced { .refused }
    func canRead(_ channel: Channel, after position: Timetoken) -> Bool { true }
    var canReadFiles: Bool { true }
    func digestKey(of channel: Channel) -> DigestKey {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }
    func wallTicks() -> UInt64 { 0 }
}
