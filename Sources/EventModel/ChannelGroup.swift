// A named set of channels that clients follow as one.

/// The name of a group, within its keyset; compared byte for byte.
public struct ChannelGroup: Hashable, Sendable {
    private let exactKeyset: ExactText
    private let exactName: ExactText

    public var keyset: String { exactKeyset.string }
    public var name: String { exactName.string }

    public init(_ name: String, keyset: String) {
        exactKeyset = ExactText(keyset)
        exactName = ExactText(name)
    }
}

/// What somebody wants of a group.
public enum GroupChange: Hashable, Sendable {
    case add([String])
    case remove([String])
    case delete
}
