// Puts a WebSocket message together from the pieces in which libwebsockets delivers it.

import EventModel

/// The unfinished message of one connection.
///
/// lws calls with at most `rx_buffer_size` bytes at a time, so even a message of one fragment
/// arrives in pieces. A piece that is a whole message costs no copy.
struct MessageAssembler {
    enum Step {
        /// More pieces are to come.
        case incomplete
        /// `take()` the message.
        case complete
        /// The message is this piece alone.
        case wholeMessage
        case refused(CloseCode, String)
    }

    private var bytes: [UInt8] = []
    private var fragmentCount = 0

    /// Takes the next piece.
    ///
    /// - Parameters:
    ///   - remainingInFragment: Bytes of this WebSocket fragment still to come, as its header
    ///   claims.
    ///   - isLastPiece: Whether it ends the message.
    mutating func add(
        _ piece: UnsafeRawBufferPointer, remainingInFragment: Int, isLastPiece: Bool
    ) -> Step {
        // The claim may be up to 2^63: compare without adding to it.
        guard remainingInFragment <= Limits.frameBytesMax,
            bytes.count + piece.count + remainingInFragment <= Limits.frameBytesMax
        else {
            return refuse(.messageTooBig, "Send messages of at most \(Limits.frameBytesMax) bytes.")
        }
        if remainingInFragment == 0 { fragmentCount += 1 }
        guard fragmentCount <= Limits.fragmentsPerMessageMax else {
            return refuse(
                .policyViolation,
                "Send a message in at most \(Limits.fragmentsPerMessageMax) fragments.")
        }
        if isLastPiece, bytes.isEmpty {
            fragmentCount = 0
            return .wholeMessage
        }
        unsafe bytes.append(contentsOf: piece)
        return isLastPiece ? .complete : .incomplete
    }

    /// The message that ``add(_:remainingInFragment:isLastPiece:)`` called complete.
    mutating func take() -> [UInt8] {
        fragmentCount = 0
        defer { bytes = [] }
        return bytes
    }

    private mutating func refuse(_ code: CloseCode, _ reason: String) -> Step {
        bytes = []
        fragmentCount = 0
        return .refused(code, reason)
    }
}
