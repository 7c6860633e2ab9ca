// What messages of other programs say in a chat, and what an edit leaves of them; times of day.

import Testing

@testable import syncctl

@Suite("Messages of a chat")
struct ChatPayloadTests {
    @Test(
        "texts in each of their forms, and what an edit makes of them",
        arguments: [
            (#""hi""#, "hi", #""new""#), (#"{"text":"hi"}"#, "hi", #"{"text":"new"}"#),
            (#"{"a": [1], "text": "hi"}"#, "hi", #"{"text":"new","a":[1]}"#),
        ])
    func texts(payload: String, text: String, edited: String) {
        var parsed = ChatPayload(parsing: payload)
        #expect(parsed.text == text)
        #expect(parsed.isText)
        parsed.text = "new"
        #expect(parsed.json == edited)
    }

    @Test("anything else is shown as it is", arguments: ["7", "[1]", #"{"txt":"hi"}"#, "{"])
    func others(payload: String) {
        #expect(ChatPayload(parsing: payload).text == payload)
        #expect(!ChatPayload(parsing: payload).isText)
    }

    @Test("what is written here is what the other clients write")
    func written() {
        #expect(ChatPayload(saying: "say \"hi\"").json == #"{"text":"say \"hi\""}"#)
    }

    @Test("a moment as people write it")
    func moments() {
        let moment = LocalTime(date: (2026, 11, 7), weekday: 6, hour: 9, minute: 5)
        #expect(moment.time == "09:05")
        #expect(moment.day == "Sat 7 Nov 2026")
    }
}
