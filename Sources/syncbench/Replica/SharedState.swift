// What many devices know of one channel, kept once.

import JSON

/// The rows of a channel as they are on all devices that received the same.
///
/// Devices that had equal rows and got the same bytes have equal rows again. So the bytes are
/// applied, and the digest compared, for the first device only; the others' bytes are compared with
/// the first one's. A device is then nothing but a reference to one of these.
final class SharedState {
    let replica: Replica
    /// Whether the daemon said of exactly these rows what they come to.
    let isVerified: Bool
    private var next: [[UInt8]: SharedState] = [:]

    init(_ replica: Replica, isVerified: Bool) {
        self.replica = replica
        self.isVerified = isVerified
    }

    /// What the devices have after a push.
    ///
    /// - Parameter text: The push, byte for byte.
    func after(_ text: [UInt8]) throws(JSONError) -> SharedState {
        if let known = next[text] { return known }
        var replica = replica
        let isRight = replica.apply(try Push(try unsafe JSONValue(parsing: text.span.bytes)))
        let state = SharedState(replica, isVerified: isRight == true)
        next[text] = state
        return state
    }
}

/// Reads the little that can be told without parsing.
enum FrameText {
    static let pushStart = Array(#"{"t":"#.utf8)
    private static let channelStart = Array(#","c":"c"#.utf8)

    static func isPush(_ text: [UInt8]) -> Bool { text.starts(with: pushStart) }

    /// The number in the name of a push's channel, as ``FrameTemplate/channelName(_:)`` writes it.
    static func channel(ofPush text: [UInt8]) -> Int? {
        guard let place = text.prefix(80).firstRange(of: channelStart) else { return nil }
        let digits = text[place.upperBound...].prefix(6)
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
