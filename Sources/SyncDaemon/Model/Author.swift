// Whose doing something is: a user on one of their devices, inside a tenant.

import EventModel

/// Who does something, and on which of their devices; compared byte for byte.
struct Author: Hashable, Sendable {
    private let exactKeyset: ExactText
    private let exactUserID: ExactText
    private let exactDeviceID: ExactText

    var keyset: String { exactKeyset.string }
    var userID: String { exactUserID.string }
    /// Chosen by the device and kept for its life: it scopes mutation ids.
    var deviceID: String { exactDeviceID.string }

    init(keyset: String = Channel.defaultKeyset, userID: String, deviceID: String) {
        exactKeyset = ExactText(keyset)
        exactUserID = ExactText(userID)
        exactDeviceID = ExactText(deviceID)
    }
}
