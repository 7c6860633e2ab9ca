// Every reason for which the daemon closes a session, as its close frame says it.

import EventModel

/// Why the daemon closes a connection.
///
/// - Source: RFC 6455, section 7.4.1, and docs/PROTOCOL.md.
enum CloseCode: UInt16, Sendable {
    case goingAway = 1001
    case protocolError = 1002
    case unsupportedData = 1003
    case invalidPayload = 1007
    case policyViolation = 1008
    case messageTooBig = 1009
    case tryAgainLater = 1013
}

/// A code, and what people read beside it.
struct CloseReason: Hashable, Sendable {
    let code: CloseCode
    /// Whole, as the log has it.
    let text: String

    /// UTF-8 bytes that a frame has room for: two of a control frame are the code.
    static let bytesMax = ControlFrame.payloadBytesMax - 2

    init(_ code: CloseCode, _ text: String) {
        self.code = code
        self.text = text
    }

    /// A token that is worth nothing, or none: it begins with the code, by which a client knows
    /// whether to come again with another.
    init(_ error: ProtocolError) {
        self.init(.policyViolation, "\(error.code): \(error.message)")
    }

    /// Whether a frame has room for all of it.
    var fits: Bool { text.utf8.count <= Self.bytesMax }

    /// The close frame; a text that is too long ends with a word and an ellipsis.
    var frame: [UInt8] { ControlFrame.close(code.rawValue, reason: Array(shortText.utf8)) }

    /// Names that clients chose may make it too long.
    private var shortText: Substring {
        guard !fits else { return text[...] }
        let mark = "…"
        var end = text.startIndex
        var byteCount = mark.utf8.count
        // Whole characters: a reason has to be UTF-8.
        while byteCount + text[end].utf8.count <= Self.bytesMax {
            byteCount += text[end].utf8.count
            end = text.index(after: end)
        }
        // The word that does not end there goes; a text that is one word is cut within it.
        let wordsEnd = text[end] == " " ? end : text[..<end].lastIndex(of: " ") ?? end
        return text[..<wordsEnd] + mark
    }
}

extension CloseReason {
    /// Mostly nobody's mistake: a network, a machine or the daemon stood still meanwhile.
    ///
    /// With a code that says to mend the client, a device would never come again.
    static let lateHello = CloseReason(
        .tryAgainLater, "No hello came within \(Limits.helloSeconds) seconds. Reconnect.")
    static let keysetGone = CloseReason(
        .policyViolation, "Your subscribe key is no longer valid.")
    static let stopping = CloseReason(.goingAway, "The daemon stops. Reconnect.")
    static let kicked = CloseReason(.goingAway, "An operator ended this session. Reconnect.")
    static let tooSlow = CloseReason(
        .tryAgainLater, "You read too slowly. Reconnect with your cursors.")
    static let behind = CloseReason(
        .tryAgainLater, "This daemon is behind another one. Connect again.")
    static let storeFailed = CloseReason(
        .tryAgainLater, "The store could not be read. Reconnect.")

    // MARK: Frames

    static let binary = CloseReason(.unsupportedData, "Send text messages, not binary ones.")
    static let notText = CloseReason(.invalidPayload, "Send text in UTF-8.")
    static let reasonNotText = CloseReason(.invalidPayload, "Give your reason in UTF-8.")
    static let messageTooLong = CloseReason(
        .messageTooBig, "Send messages of at most \(Limits.frameBytesMax) bytes.")
    static let tooManyFragments = CloseReason(
        .policyViolation,
        "Send a message in at most \(Limits.fragmentsPerMessageMax) fragments.")

    /// A frame that RFC 6455 forbids.
    static func broken(_ text: String) -> CloseReason { CloseReason(.protocolError, text) }
}
