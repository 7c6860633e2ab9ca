// Where an event lives: a name inside a tenant.

/// A channel name, as clients spell it, within its keyset.
///
/// Names are opaque bytes to the daemon: it compares them and never normalises or interprets them.
public struct Channel: Hashable, Sendable {
    /// The tenant; two channels with one name in two keysets have nothing in common.
    public let keyset: String
    public let name: String

    /// The keyset of a daemon without a configuration file.
    public static let defaultKeyset = "default"

    public init(_ name: String, keyset: String = Channel.defaultKeyset) {
        self.keyset = keyset
        self.name = name
    }
}

/// Who does something, and on which of their devices.
public struct Author: Hashable, Sendable {
    public let keyset: String
    public let userID: String
    /// Chosen by the device and kept for its life: it scopes mutation ids.
    public let deviceID: String

    public init(keyset: String = Channel.defaultKeyset, userID: String, deviceID: String) {
        self.keyset = keyset
        self.userID = userID
        self.deviceID = deviceID
    }
}
