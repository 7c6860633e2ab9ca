// What becomes of files of other services, and what is said of the rest of them.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Import of other services' files")
struct ForeignImportTests {
    private func messages(of channel: String, in bench: TransferBench) throws -> [StoredMessage] {
        var messages: [StoredMessage] = []
        try bench.open().makeReader().withSnapshot(of: Channel(channel)) {
            snapshot throws(StoreError) in
            try snapshot.forEachMessage(after: .zero) {
                messages.append($0)
                return true
            }
        }
        return messages
    }

    private func actions(of channel: String, in bench: TransferBench) throws -> [MessageAction] {
        var actions: [MessageAction] = []
        try bench.open().makeReader().withSnapshot(of: Channel(channel)) {
            snapshot throws(StoreError) in
            try snapshot.forEachAction { actions.append($0) }
        }
        return actions
    }

    // MARK: PubNub

    private let pages = """
        {"status":200,"error":false,"error_message":"","channels":{
          "room":[
            {"message":{"text":"hi"},"timetoken":"15610547826970050","uuid":"ada","meta":"",
             "message_type":null,"actions":{"reaction":{"👍":[
               {"uuid":"bob","actionTimetoken":"15610547826970060"},
               {"uuid":"eve","actionTimetoken":"15610547826970070"}]}}},
            {"message":7,"timetoken":15610547826970051,"meta":{"k":1.50},
             "custom_message_type":"text","message_type":4}],
          "other":[{"message":null,"timetoken":"15610547826970052","uuid":"ada"},
            {"message":"no time","uuid":"ada"}]},
         "more":{"url":"/v3/…"}}
        {"status":200,"data":[{"type":"reaction","value":"🔥","uuid":"bob",
          "actionTimetoken":"15610547826970080","messageTimetoken":"15610547826970050"}]}
        [[{"message":"old","timetoken":15610547826970049}],15610547826970049,15610547826970049]
        """

    @Test("PubNub's answers keep their timetokens")
    func pubNub() throws {
        let bench = try TransferBench()

        let report = try bench.take(pages, by: PubNubHistory(channel: "room"))

        let found = try messages(of: "room", in: bench)
        #expect(
            found.map(\.timetoken.rawValue) == [
                15_610_547_826_970_049, 15_610_547_826_970_050, 15_610_547_826_970_051,
            ])
        #expect(found.map(\.message.payload) == ["\"old\"", "{\"text\":\"hi\"}", "7"])
        #expect(found.map(\.message.meta) == [nil, nil, "{\"k\":1.50}"])
        #expect(found.map(\.message.type) == [nil, nil, "text"])
        #expect(found.map(\.uuid) == ["unknown", "ada", "unknown"])
        #expect(
            try actions(of: "room", in: bench).map(\.key.value).sorted() == ["👍", "👍", "🔥"])
        #expect(try messages(of: "other", in: bench).map(\.message.payload) == ["null"])
        #expect(report.outcome.written == 7)
        #expect(report.counts.channels == 2)
        let noted = report.unmapped.sorted
        #expect(noted.map(\.count) == [1, 1, 1, 2])
        #expect(noted.first?.what.hasPrefix("channels with more") == true)
        #expect(noted.dropFirst().first?.what.hasPrefix("files") == true)
    }

    @Test("the same again is there already; another message at a place is a contradiction")
    func pubNubAgain() throws {
        let bench = try TransferBench()
        _ = try bench.take(pages, by: PubNubHistory(channel: "room"))

        let again = try bench.take(pages, by: PubNubHistory(channel: "room"))

        #expect((again.outcome.written, again.outcome.already) == (0, 7))
        #expect(throws: TransferError.self) {
            try bench.take(
                pages.replacing("\"hi\"", with: "\"ho\""), by: PubNubHistory(channel: "room"))
        }
        let kept = try bench.take(
            pages.replacing("\"hi\"", with: "\"ho\""), by: PubNubHistory(channel: "room"),
            keeps: true)
        #expect(kept.outcome.kept == 1)
        #expect(kept.outcome.examples.count == 1)
    }

    @Test("answers that do not say their channel are counted, and what is no JSON is refused")
    func pubNubWithoutChannel() throws {
        let bench = try TransferBench()

        let report = try bench.take(pages, by: PubNubHistory(channel: nil))

        #expect(report.outcome.written == 5)
        #expect(report.unmapped.sorted.filter { $0.what.contains("--channel") }.count == 2)
        #expect(throws: TransferError.self) {
            try bench.take("{\"channels\":{\"a\":[{]}}", by: PubNubHistory(channel: nil))
        }
    }

    @Test("a page that lacks the one before it is told, and one that does not is not")
    func pubNubMore() throws {
        func page(_ timetoken: Int, more: String) -> String {
            #"{"channels":{"room":[{"message":1,"timetoken":"\#(timetoken)","uuid":"ada"}]}"#
                + "\(more)}"
        }
        let newer = page(
            15_610_547_826_970_050, more: #","more":{"start":"15610547826970050","max":1}"#)
        let older = page(15_610_547_826_970_049, more: "")
        for (text, count) in [(newer, 1), (newer + older, 0), (older + "\n" + newer, 0)] {
            let bench = try TransferBench()
            let report = try bench.take(text, by: PubNubHistory(channel: nil))
            #expect(report.unmapped.sorted.map(\.count) == (count > 0 ? [count] : []), "\(text)")
        }
    }

    // MARK: Stream

    private let export = """
        {"channels":[{"channel":{"cid":"messaging:room","id":"room","type":"messaging"},
         "messages":[
          {"id":"m1","text":"Hi","type":"regular","user":{"id":"ada","name":"Ada"},
           "attachments":[],"reply_count":1,"cid":"messaging:room",
           "created_at":"2025-01-23T13:05:35.491258Z","reaction_counts":{"love":12},
           "latest_reactions":[{"message_id":"m1","type":"love","user_id":"bob","score":3,
             "created_at":"2025-01-23T13:06:00.5Z"},
            {"message_id":"m1","type":"love","user":{"id":"eve"},"score":0,
             "created_at":"2025-01-23T13:06:00.5Z"}]},
          {"id":"m2","text":"back","type":"reply","parent_id":"m1","user":{"id":"bob"},
           "attachments":[{"type":"image"}],"created_at":"2025-01-23T14:05:35.491258+01:00"},
          {"id":"m3","text":"","type":"deleted","deleted_at":"2025-01-23T13:07:00Z",
           "user":{"id":"bob"},"created_at":"2025-01-23T13:06:35Z"},
          {"id":"m4","text":"lost","parent_id":"m0","type":"regular","user":{"id":"bob"},
           "created_at":"2025-01-23T13:08:35Z"}],
         "members":[{"user_id":"ada"},{"user_id":"bob"}]}]}
        """

    @Test("Stream's export: times become timetokens, replies have their parents")
    func stream() throws {
        let bench = try TransferBench()

        let report = try bench.take(export, by: StreamExport())

        let found = try messages(of: "messaging.room", in: bench)
        #expect(found.map(\.uuid).sorted() == ["ada", "bob", "bob"])
        let first = try #require(found.first { $0.uuid == "ada" })
        #expect(first.timetoken.rawValue / 10 == 1_737_637_535_491_258)
        #expect(first.message.payload == "{\"text\":\"Hi\"}")
        #expect(first.message.meta == "{\"stream\":{\"id\":\"m1\"}}")
        let reply = try #require(found.first { $0.message.parent != nil })
        #expect(reply.message.parent == first.timetoken)
        #expect(reply.timetoken != first.timetoken)
        #expect(reply.timetoken.rawValue / 10 == 1_737_637_535_491_258)
        #expect(
            reply.message.payload == "{\"text\":\"back\",\"attachments\":[{\"type\":\"image\"}]}")
        let reactions = try actions(of: "messaging.room", in: bench)
        #expect(reactions.map(\.key.type) == ["reaction", "reaction"])
        #expect(Set(reactions.map(\.score)) == [1, 3])
        #expect(Set(reactions.map(\.actionTimetoken)).count == 2)
        #expect(
            report.unmapped.sorted.map(\.count) == [2, 1, 1, 10, 1, 1],
            "\(report.unmapped.sorted)")
        let again = try bench.take(export, by: StreamExport())
        #expect((again.outcome.written, again.outcome.already) == (0, 5))
    }

    @Test("one channel alone, an array of them, and lines of entities")
    func streamShapes() throws {
        let channel = export.dropFirst("{\"channels\":[".count).dropLast(2)
        let lines = """
            {"type":"channel","item":{"id":"room","type":"messaging"}}
            {"type":"message","item":{"id":"a","channel_type":"messaging","channel_id":"room",\
            "user":"ada","text":"Hi","created_at":"2025-01-23T13:05:35Z"}}
            {"type":"reaction","item":{"message_id":"a","channel_type":"messaging",\
            "channel_id":"room","type":"love","user_id":"bob","created_at":"2025-01-23T13:05:36Z"}}
            """
        for (text, rows) in [(String(channel), 5), ("[\(channel)]", 5), (lines, 2)] {
            let bench = try TransferBench()
            #expect(try bench.take(text, by: StreamExport()).outcome.written == rows)
            #expect(try !messages(of: "messaging.room", in: bench).isEmpty)
        }
    }

    /// Found by an operator: Stream's own import files say no channel there.
    @Test("a reaction finds its message in whatever channel that is")
    func streamReactions() throws {
        func message(_ id: String, in channel: String) -> String {
            #"{"type":"message","item":{"id":"\#(id)","channel_type":"messaging","#
                + #""channel_id":"\#(channel)","user":"ada","text":"Hi","#
                + #""created_at":"2025-01-23T13:05:35Z"}}"# + "\n"
        }
        func reaction(to id: String) -> String {
            #"{"type":"reaction","item":{"message_id":"\#(id)","type":"love","user_id":"bob","#
                + #""created_at":"2025-01-23T13:05:36Z"}}"# + "\n"
        }
        let text =
            message("m1", in: "one") + message("m2", in: "two") + reaction(to: "m1")
            + reaction(to: "m2") + reaction(to: "m3")
        let bench = try TransferBench()

        let report = try bench.take(text, by: StreamExport())

        #expect(report.counts.actions == 2)
        #expect(report.unmapped.sorted.map(\.count) == [1])
        for channel in ["messaging.one", "messaging.two"] {
            let found = try actions(of: channel, in: bench)
            #expect(
                found.map(\.key.messageTimetoken)
                    == (try messages(of: channel, in: bench).map(\.timetoken)))
        }
    }

    // MARK: Dates

    @Test(
        "dates of RFC 3339",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00.1234567Z", 9_518_256_001_234_567),
            ("2026-11-26T10:00:00+01:00", 17_956_836_000_000_000),
            ("2026-11-26T09:00:00.000000999Z", 17_956_836_000_000_009),
        ] as [(String, UInt64)])
    func dates(text: String, ticks: UInt64) {
        #expect(Timetoken(date: text) == tick(ticks))
    }

    @Test(
        "a date is what it was written as",
        arguments: [
            1, 9_999_999, 15_610_547_826_970_050, 17_956_836_001_234_560,
        ] as [UInt64])
    func datesBack(ticks: UInt64) {
        #expect(Timetoken(date: tick(ticks).dateText) == tick(ticks / 10 * 10))
    }

    @Test(
        "what is no date is none",
        arguments: [
            "", "2026-11-26", "2026-11-26T09:00:00", "2026-13-26T09:00:00Z",
            "2026-11-26T09:00:00.Z",
            "2026-11-26T09:00:00+01", "x026-11-26T09:00:00Z", "1969-11-26T09:00:00Z",
        ])
    func noDates(text: String) {
        #expect(Timetoken(date: text) == nil)
    }
}
