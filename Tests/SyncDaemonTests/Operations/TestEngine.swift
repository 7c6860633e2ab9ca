// An engine for tests that need little of one: everything that they do not name refuses or is
// empty.

import EventModel

@testable import SyncDaemon

/// An engine made of functions.
struct StandInEngine: Engine {
    var reactor = 0
    var epoch = "e.f"
    var began = Timetoken.zero
    var groups = ChannelGroups()
    var revocations = Revocations()
    var keyGrants = KeyGrants()
    var secret = makeSecret()
    var onSubmit: (Write) -> Bool = { _ in false }
    var onAnnounce: (Announcement) -> Announced = { _ in .refused }
    var onAsk: (ReadRequest) -> Bool = { _ in false }
    var onAskPresence: (PresenceRequest) -> Bool = { _ in false }
    var onJudge: (String?) -> CursorJudgement = { _ in .known }
    var onTicks: () -> UInt64 = { 1 }
    var onNewest: () -> Timetoken = { .zero }
    /// `nil`: all is durable.
    var durable: Timetoken?
    var onTombstoneFloor: () -> Timetoken = { .zero }

    func submit(_ write: Write) -> Bool { onSubmit(write) }
    func commitSoon() {}
    func announce(_ announcement: Announcement) -> Announced { onAnnounce(announcement) }
    func ask(_ request: ReadRequest) -> Bool { onAsk(request) }
    func askPresence(_ request: PresenceRequest) -> Bool { onAskPresence(request) }
    func follow(_ channel: Channel) -> (visible: Timetoken, durable: Timetoken) { (.zero, .zero) }
    func unfollow(_ channel: Channel) {}
    var newest: Timetoken { onNewest() }
    var settled: (visible: Timetoken, durable: Timetoken) { (newest, durable ?? newest) }
    var tombstoneFloor: Timetoken { onTombstoneFloor() }
    var deletionFloor: Timetoken { .zero }
    func judge(_ cursor: Timetoken, of epoch: String?) -> CursorJudgement { onJudge(epoch) }
    func freshCursor(for origin: Origin) -> Announced { .at(newest) }
    func canRead(_ channel: Channel, after position: Timetoken) -> Bool { true }
    var canReadFiles: Bool { true }
    func digestKey(of channel: Channel) -> DigestKey { secret.key(of: channel) }
    func wallTicks() -> UInt64 { onTicks() }
}

extension OperationOutcome {
    /// The reply of an operation that answers at once.
    func get() throws(ProtocolError) -> Reply? {
        switch self {
        case .done(let reply): return reply
        case .refused(let error): throw error
        case .later: return nil
        }
    }
}
