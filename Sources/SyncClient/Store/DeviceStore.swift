// The seam between a client and where its device keeps things.

public import EventModel

/// Whose cache it is; a file serves one user on one device.
public struct DeviceIdentity: Hashable, Sendable {
    public var userID: String
    public var keyset: String
    /// Made once and kept: the ids of writes count per device.
    public var deviceID: String

    public init(userID: String, keyset: String = Channel.defaultKeyset, deviceID: String) {
        self.userID = userID
        self.keyset = keyset
        self.deviceID = deviceID
    }
}

/// Keeps what a device must find again after a crash.
///
/// One client owns a store and calls it from one place at a time.
public protocol DeviceStore: AnyObject {
    /// Whose it is; `nil` while it is new.
    func identity() throws(DeviceStoreError) -> DeviceIdentity?

    func setIdentity(_ identity: DeviceIdentity) throws(DeviceStoreError)

    /// The outbox, in order.
    func outbox() throws(DeviceStoreError) -> [OutboxEntry]

    /// The channels of which anything is kept, by name.
    func channels() throws(DeviceStoreError) -> [String]

    /// What is kept of a channel; an empty base when nothing is.
    func base(of channel: String) throws(DeviceStoreError) -> ChannelBase

    /// What reactions there were in a channel when the device last heard of it.
    ///
    /// A store that does not keep that says `nil`: then the device waits for the daemon's word.
    func rules(of channel: String) throws(DeviceStoreError) -> ReactionRules?

    /// What is kept of read marks; a store that does not keep any says so with none.
    func marks() throws(DeviceStoreError) -> [KeptMark]

    /// Makes all of the writes durable, or none.
    func commit(_ writes: [DeviceWrite]) throws(DeviceStoreError)

    /// Puts its files in order: nothing more is asked of it for a while.
    func tidyUp()
}

extension DeviceStore {
    public func tidyUp() {}

    public func rules(of channel: String) throws(DeviceStoreError) -> ReactionRules? { nil }

    public func marks() throws(DeviceStoreError) -> [KeptMark] { [] }
}

/// A cache that cannot be used.
public enum DeviceStoreError: Error, Hashable, Sendable {
    case cannotOpen(path: String, reason: String)
    /// Another program uses the file, or another client of this one.
    case inUse(path: String)
    case broken(path: String, reason: String)
    /// The file is another user's, or of another tenant.
    case notYours(path: String, owner: DeviceIdentity)
    case newerVersion(path: String, version: Int)
}

extension DeviceStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "The cache file \(path) cannot be opened: \(reason)."
        case .inUse(let path):
            """
            The cache file \(path) is in use. End the program that uses it, and try again; do not \
            delete the file, which may have unsent writes.
            """
        case .broken(let path, let reason):
            """
            The cache file \(path) cannot be read or written: \(reason). If it is damaged, delete \
            it: all but unsent writes comes from the daemon again.
            """
        case .notYours(let path, let owner):
            """
            The cache file \(path) belongs to the user \(owner.userID) of the keyset \
            \(owner.keyset). Use another file.
            """
        case .newerVersion(let path, let version):
            """
            The file \(path) is no cache of a device, or of a newer release: it has version \
            \(version).
            """
        }
    }
}
