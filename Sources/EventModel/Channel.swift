// Where an event lives: a name inside a tenant.

/// A channel name, as clients spell it, within its keyset.
///
/// Names are opaque bytes to the daemon: it compares them and never normalises or interprets them.
public struct Channel: Hashable, Sendable {
    private let exactKeyset: ExactText
    private let exactName: ExactText

    /// The tenant; two channels with one name in two keysets have nothing in common.
    public var keyset: String { exactKeyset.string }
    public var name: String { exactName.string }

    /// The keyset of a daemon without a configuration file.
    public static let defaultKeyset = "default"

    public init(_ name: String, keyset: String = Channel.defaultKeyset) {
        exactKeyset = ExactText(keyset)
        exactName = ExactText(name)
    }
}
