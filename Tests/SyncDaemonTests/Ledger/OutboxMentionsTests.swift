// Who speaks of a message is found by what happens to it, and of nobody else.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Webhooks: mentions")
struct OutboxMentionsTests {
    private let room = Channel("room")
    private var mentions = OutboxMentions<String>()

    init() {
        mentions.add("one", of: tick(10), in: room)
        mentions.add("one", of: tick(10), in: room)
        mentions.add("both", of: tick(10), in: room)
        mentions.add("both", of: tick(20), in: room)
        mentions.add("den", of: tick(10), in: Channel("den"))
    }

    @Test(
        "a clearing and a deletion find those that speak of what may have gone",
        arguments: [
            (.actionsCleared(Clearing(messageTimetoken: tick(20))), ["both"]),
            (.actionsCleared(Clearing(userID: "bob")), ["one", "both"]),
            (.actionsCleared(Clearing(type: ReactionRules.type, value: "x")), ["one", "both"]),
            (.actionsCleared(Clearing(type: "receipt", value: "x")), []),
            (.messagesDeleted(after: tick(9), through: tick(10)), ["one", "both"]),
            (.messagesDeleted(after: tick(10), through: tick(11)), []),
            (.messagesDeleted(after: tick(10), through: tick(90)), ["both"]),
            (.messagesDeleted(after: .zero, through: tick(19)), ["one", "both"]),
            (.message(Message(payload: "1")), []),
        ] as [(Event, Set<String>)])
    func finds(_ event: Event, _ found: Set<String>) {
        #expect(mentions.places(concernedBy: event, in: room) == found)
        #expect(mentions.places(concernedBy: event, in: Channel("hall")).isEmpty)
    }

    @Test("what is not kept is forgotten, and no longer counted")
    func keeps() {
        var mentions = mentions
        #expect(mentions.count == 4)
        mentions.keep { $0 == "both" }

        #expect(mentions.count == 2)
        let all = Event.messagesDeleted(after: .zero, through: .end)
        #expect(mentions.places(concernedBy: all, in: room) == ["both"])
        #expect(mentions.places(concernedBy: all, in: Channel("den")).isEmpty)
    }
}
