// A named set of channels that clients follow as one.

import EventModel

/// The name of a group, within its keyset; compared byte for byte.
struct ChannelGroup: Hashable, Sendable {
    private let exactKeyset: ExactText
    private let exactName: ExactText

    var keyset: String { exactKeyset.string }
    var name: String { exactName.string }

    init(_ name: String, keyset: String) {
        exactKeyset = ExactText(keyset)
        exactName = ExactText(name)
    }
}
