// The bounds of mobile push: devices that are registered for channels.

import EventModel

extension Limits {
    /// Bytes of a device's token; over it: status 400.
    static let deviceTokenBytesMax = 1024
    /// Hexadecimal digits of a token of Apple's; under or over it: status 400.
    static let appleTokenDigits = 16...200
    /// Bytes of the topic of a device of Apple's; over it: status 400.
    static let pushTopicBytesMax = 256
    /// Channels that one call adds to a device or takes away; over it: status 400.
    static let channelsPerPushChangeMax = 500
    /// Channels of which one device hears by push; over it: status 400.
    static let channelsPerDeviceMax = 1000
    /// Devices that hear of one channel by push, and stand in a webhook's event; over it: status
    /// 400.
    static let devicesPerChannelMax = 1000
    /// Of these, devices of one user, as tokens name them: so nobody alone makes each event of a
    /// channel a long one; over it: status 400.
    static let devicesPerUserMax = 50
}
