// What holds for a channel: which pattern wins, and who asks.

import EventModel
import Testing

@testable import SyncDaemon

/// Patterns, a channel, and the pattern whose settings hold for it; none: the keyset's.
struct PatternCase: Sendable, CustomTestStringConvertible {
    let patterns: [String]
    let channel: String
    let winner: String?

    var testDescription: String { "\(channel) in \(patterns): \(winner ?? "the keyset")" }

    init(_ patterns: [String], _ channel: String, _ winner: String?) {
        self.patterns = patterns
        self.channel = channel
        self.winner = winner
    }

    static let all = [
        PatternCase([], "room", nil),
        PatternCase(["room"], "room", "room"),
        PatternCase(["room"], "room2", nil),
        PatternCase(["room"], "roo", nil),
        PatternCase(["room*"], "room", "room*"),
        PatternCase(["room*"], "room2", "room*"),
        PatternCase(["*"], "anything", "*"),
        PatternCase(["*", "chat.*", "chat.a*", "chat.a"], "chat.a", "chat.a"),
        PatternCase(["chat.a", "chat.a*", "chat.*", "*"], "chat.ab", "chat.a*"),
        PatternCase(["chat.a*", "*", "chat.*", "chat.a"], "chat.b", "chat.*"),
        PatternCase(["chat.a*", "chat.*", "*"], "chat", "*"),
        // Longer than the name, and yet the name is longer.
        PatternCase(["chat.a", "chat.a*"], "chat.a", "chat.a"),
        // Canonically equivalent, and not the same bytes.
        PatternCase(["caf\u{E9}"], "cafe\u{301}", nil),
        PatternCase(["caf\u{E9}*"], "cafe\u{301}.x", nil),
        PatternCase(["caf\u{E9}*"], "caf\u{E9}.x", "caf\u{E9}*"),
        // The presence of a channel is where the channel is.
        PatternCase(["room"], "room-pnpres", "room"),
        PatternCase(["room", "*"], "room-pnpres", "room"),
        // A wildcard stands for many channels, which may be in many namespaces.
        PatternCase(["chat.*", "*"], "chat.*", nil),
        PatternCase(["chat.*", "*"], "chat.*-pnpres", nil),
        PatternCase(["a*"], "a*b", "a*"),
    ]
}

@Suite("Namespaces")
struct NamespaceTests {
    @Test(
        "the longest pattern that fits wins, and a whole name is longer", arguments: PatternCase.all
    )
    func winner(sample: PatternCase) throws {
        var keyset = Keyset(subscribeKey: "k")
        keyset.defaults.hoursKept = 1000
        for (index, text) in sample.patterns.enumerated() {
            var settings = ChannelSettings()
            settings.hoursKept = index
            keyset.namespaces.set(settings, for: try #require(ChannelPattern(text)))
        }
        let keysets = Keysets([Keyset(subscribeKey: "other"), keyset])

        let settings = keysets.settings(of: Channel(sample.channel, keyset: "k"))

        let expected = sample.winner.flatMap(sample.patterns.firstIndex) ?? 1000
        #expect(settings.hoursKept == expected)
        #expect(keysets.settings(of: Channel(sample.channel, keyset: "other")).hoursKept == 0)
        #expect(keysets.settings(of: Channel(sample.channel, keyset: "none")).hoursKept == 0)
        let lone = Keysets(lone: keyset)
        #expect(lone.settings(of: Channel(sample.channel, keyset: "x")).hoursKept == expected)
    }

    @Test(
        "what fits nothing is no pattern",
        arguments: [
            "", "a*b", "*a", "**", "a,b", "a\u{7}", "room-pnpres",
            String(repeating: "x", count: Limits.channelNameBytesMax + 1),
            String(repeating: "x", count: Limits.channelNameBytesMax + 1) + "*",
        ])
    func unreadable(text: String) {
        #expect(ChannelPattern(text) == nil)
    }

    @Test(
        "presence asks for each channel's settings, and a reload ends what is not wanted any more")
    func presence() throws {
        func keyset(_ change: (inout ChannelSettings) -> Void) throws -> Keyset {
            var keyset = Keyset(subscribeKey: "k")
            var settings = ChannelSettings()
            change(&settings)
            keyset.namespaces.set(settings, for: try #require(ChannelPattern("quiet.*")))
            return keyset
        }
        let bench = PresenceBench(try keyset { $0.hasPresence = false })
        bench.beat("ada", "quiet.a", "room")
        bench.setState("ada", "quiet.a", "room", to: #"{"a":1}"#)
        #expect(bench.users("quiet.a") == [])
        #expect(bench.state("ada", "quiet.a") == nil)
        #expect(bench.users("room") == ["ada"])
        #expect(bench.state("ada", "room") == #"{"a":1}"#)

        let short = try keyset { ($0.presenceSeconds, $0.presenceSecondsMin) = (20, 10) }
        bench.presence.apply(Keysets([short]), at: bench.now)
        bench.poll("bob", "quiet.a", "room")
        bench.poll("eve", "quiet.a", seconds: 5)
        _ = bench.pass(milliseconds: 9_999)
        #expect(bench.users("quiet.a") == ["bob", "eve"])
        _ = bench.pass(milliseconds: 1)
        #expect(bench.users("quiet.a") == ["bob"])
        _ = bench.pass(milliseconds: 10_000)
        #expect(bench.users("quiet.a") == [])
        #expect(bench.users("room") == ["ada", "bob"])

        bench.beat("bob", "quiet.a")
        bench.presence.apply(Keysets([try keyset { $0.hasPresence = false }]), at: bench.now)
        #expect(bench.users("quiet.a") == [])
        #expect(bench.users("room") == ["ada", "bob"])
    }

    @Test("a topic that lives takes its window from the namespace that holds now")
    func windows() throws {
        var settings = ReactorSettings()
        let hub = Hub(
            engine: StandInEngine(), settings: HubSettings(window: settings.window(of:)),
            counters: Counters())
        let (inside, outside) = (Channel("chat.a"), Channel("room"))
        let topics = [inside, outside].map(hub.topics.topic(of:))
        #expect(topics.map(\.window) == [0, 0])
        var slow = ChannelSettings()
        slow.batchWindow = 50
        var keyset = Keyset(subscribeKey: Channel.defaultKeyset)
        keyset.namespaces.set(slow, for: try #require(ChannelPattern("chat.*")))
        settings.keysets = Keysets(lone: keyset)

        hub.apply(sendQueueBytesMax: 1 << 20, window: settings.window(of:))

        #expect(topics.map(\.window) == [50, 0])
        #expect(hub.topics.topic(of: Channel("chat.b")).window == 50)
        #expect(hub.topics.topic(of: Channel("chat.*")).window == 0)
    }
}
