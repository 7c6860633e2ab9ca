// Names and values are bytes: two spellings that look alike are two.

import EventModel
import Testing

/// One letter, and the same letter as two code points: equivalent to Unicode, not to the store.
private let composed = "\u{E9}"
private let decomposed = "e\u{301}"

@Suite("Identity of names and values")
struct UnicodeIdentityTests {
    @Test("two spellings of a letter name two channels")
    func channels() {
        #expect(Channel(composed) != Channel(decomposed))
        #expect(Set([Channel(composed), Channel(decomposed)]).count == 2)
    }

    @Test("one byte that differs anywhere makes two texts", arguments: 0...33)
    func everyByte(count: Int) {
        let bytes = (0..<count).map { UInt8(97 + $0 % 26) }
        let text = String(decoding: bytes, as: UTF8.self)
        // Neither is part of the other's storage.
        #expect(ExactText(text) == ExactText(String(decoding: bytes, as: UTF8.self)))
        #expect(ExactText(text) != ExactText(text + "a"))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            let (name, otherName) = (
                ActionName(type: text, value: "v"),
                ActionName(type: String(decoding: other, as: UTF8.self), value: "v")
            )
            #expect(name.type != otherName.type)
            #expect(name != otherName)
        }
    }

    @Test("equality of action keys agrees with their order")
    func keys() {
        let keys = [composed, decomposed].map {
            MessageAction.Key(
                messageTimetoken: Timetoken(rawValue: 1), type: "reaction", value: $0, uuid: "ada")
        }

        #expect(keys[1] < keys[0])
        #expect(keys[0] != keys[1])
    }

    @Test("a device keeps both of two actions that only look alike")
    func cache() {
        var cache = DeviceCache()
        for (ticks, value) in [(UInt64(2), composed), (3, decomposed)] {
            let key = MessageAction.Key(
                messageTimetoken: Timetoken(rawValue: 1), type: "reaction", value: value,
                uuid: "ada")
            let timetoken = Timetoken(rawValue: ticks)
            let action = MessageAction(key: key, actionTimetoken: timetoken)
            cache.apply(
                Envelope(
                    channel: Channel("room"), timetoken: timetoken, uuid: "ada",
                    event: .actionAdded(action)))
        }

        #expect(cache.actions.count == 2)
    }
}
