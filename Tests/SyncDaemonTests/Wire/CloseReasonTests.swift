// Why a session ended, as a client reads it in 123 bytes.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("CloseReason")
struct CloseReasonTests {
    private static let codes: [CloseCode] = [
        .goingAway, .protocolError, .unsupportedData, .invalidPayload, .policyViolation,
        .messageTooBig, .tryAgainLater,
    ]
    /// All but those of frames that break a rule, which the frames' fuzzer looks at, and those with
    /// names in them.
    private static let all: [CloseReason] =
        [
            .lateHello, .keysetGone, .stopping, .tooSlow, .storeFailed, .binary, .notText,
            .reasonNotText, .messageTooLong, .tooManyFragments,
        ]
        + AccessRefusal.allCases.map { CloseReason(ProtocolError($0)) }

    @Test("a close frame carries its code, high byte first, and its reason", arguments: codes)
    func frames(code: CloseCode) {
        let frame = CloseReason(code, "Why.").frame

        #expect(frame[..<2] == [0x88, 6])
        #expect(Int(frame[2]) * 256 + Int(frame[3]) == Int(code.rawValue))
        #expect(String(decoding: frame[4...], as: UTF8.self) == "Why.")
    }

    @Test("what the daemon says by itself is sent whole", arguments: all)
    func whole(reason: CloseReason) {
        #expect(reason.fits)
        #expect(text(in: reason.frame) == reason.text)
    }

    @Test("a name that fits is named", arguments: ["room", "private.room.of.ada.and.bob"])
    func named(channel: String) {
        let lacking = #"read and history on channel "\#(channel)""#

        let reason = CloseReason(.forbidden(lacking: lacking))

        #expect(text(in: reason.frame)?.contains(lacking) == true)
    }

    @Test(
        "a reason with a name that is too long ends with a word",
        arguments: ["a", "é", "👍🏽", "e\u{301}"])
    func longName(character: String) {
        for count in 1...255 {
            let name = String(repeating: character, count: count)
            let reason = CloseReason(.forbidden(lacking: "read on channel \"\(name)\""))
            let sent = text(in: reason.frame)
            if reason.fits {
                #expect(sent == reason.text)
                continue
            }
            #expect(sent?.last == "…")
            let words = sent?.dropLast() ?? ""
            #expect(reason.text.hasPrefix(words))
            #expect(reason.text.dropFirst(words.count).first == " ")
            #expect(words.hasPrefix("forbidden: Your token lacks read on channel"))
        }
    }

    @Test(
        "a control frame never carries more than 125 bytes", arguments: [0, 1, 122, 123, 124, 999])
    func lengths(count: Int) {
        let frame = CloseReason(.goingAway, String(repeating: "a", count: count)).frame

        #expect(frame.count == min(count, 123) + 4)
        #expect(Int(frame[1]) == frame.count - 2)
        #expect(frame[1] <= 125)
    }

    @Test("a word that is cut is cut between characters", arguments: 100...123)
    func cutWord(before: Int) {
        let word = String(repeating: "a", count: before) + String(repeating: "👍🏽", count: 4)

        let sent = text(in: CloseReason(.goingAway, word).frame)

        #expect(sent?.dropLast().allSatisfy { $0 == "a" || $0 == "👍🏽" } == true)
    }

    private func text(in frame: [UInt8]) -> String? {
        String(validating: frame[4...], as: UTF8.self)
    }
}
