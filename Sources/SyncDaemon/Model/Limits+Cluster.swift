// Limits of the link between daemons.

import EventModel

extension Limits {
    /// Bytes of one frame, of which a full commit has far fewer; who sends a longer one is cut off.
    static let linkFrameBytesMax = 64 * 1024 * 1024
    /// Bytes of a frame before the other side has shown that it knows the key.
    static let linkGuestFrameBytesMax = 4096
    /// Bytes that wait for one daemon; over it its link is cut, and it begins anew.
    static let linkQueueBytesMax = 64 * 1024 * 1024
    /// Writes and questions of one daemon that wait for answers; over it further ones are refused.
    static let linkAskedMax = 65_536
    /// Users in channels that one frame promises.
    static let linkPromisesMax = 4096
    /// Milliseconds between two times that daemons tell each other what tenants have of them.
    static let clusterUseMilliseconds: UInt64 = 500
    /// Which part of a tenant's rate is for daemons of which nothing was asked: one of so many.
    static let clusterRateReserve = 32
    /// Daemons that follow one; over it a further one is turned away.
    static let linksMax = 32
    /// Connections that have not shown yet that they know the key; over it the
    /// oldest of the address that has most is closed.
    static let linkGuestsMax = 16
    /// Milliseconds without anything to say after which a side says that it is there.
    static let linkIdleMilliseconds: UInt64 = 500
    /// Seconds without a word, or without room for one, after which a link is cut.
    static let linkSilenceSeconds = 5
    /// Seconds until a mark comes back from the daemon that orders, after which its link is cut.
    static let linkLagSeconds = 5
    /// Bytes of the key that daemons show each other.
    static let linkKeyBytesMin = 32
    static let linkKeyBytesMax = 1024
    /// Seconds that a daemon waits until it has heard what was under way when it came.
    static let linkStartSeconds = 10
    /// How long a command waits whose cursor another daemon gave that is ahead, in milliseconds;
    /// after that its session is closed with 1013, and a request answered 503.
    static let aheadMilliseconds: UInt64 = 2000
    /// Commands of one reactor that wait so; over it further ones are judged at once.
    static let aheadMax = 10_000
}
