// Rights on groups and wildcards: what they open, and what goes with them.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access, through groups and wildcards")
struct AccessSelectionTests {
    private static let read: UInt8 = 1
    private static let manage: UInt8 = 4

    private func bench(_ members: [String] = ["room", "den"]) -> AccessBench {
        let bench = AccessBench()
        bench.core.hub.engine.groups.apply([
            GroupMembership(
                group: ChannelGroup("friends", keyset: "sub"), channels: members.sorted())
        ])
        return bench
    }

    private func session(
        _ bench: AccessBench, channels: [String: UInt8] = [:], groups: [String: UInt8] = [:]
    ) throws -> SessionID {
        let token = try AccessBench.token(channels: channels, groups: groups)
        let (session, greeting) = try bench.session(token)
        #expect(greeting == [nil])
        return session
    }

    private func follow(_ selection: String, from cursor: Timetoken? = nil) -> String {
        let start = cursor.map { #","cursor":"\#($0.rawValue)""# } ?? ""
        return #"{"id":1,"op":"follow",\#(selection)\#(start)}"#
    }

    private let subscribe = #"{"id":2,"op":"subscribe","channels":[{"name":"room"}]}"#

    @Test("a right on the group is needed, and enough")
    func group() throws {
        let bench = bench()
        let without = try session(bench, channels: ["room": 255, "den": 255])
        #expect(try bench.send(follow(#""group":"friends""#), without) == ["forbidden"])
        #expect(bench.interests == 0)

        let with = try session(bench, groups: ["friends": Self.read])
        #expect(try bench.send(subscribe, with) == ["forbidden"])
        #expect(try bench.send(follow(#""group":"friends""#), with) == [nil])
        #expect(bench.interests == 2)
        // With it, its channels can be named: a device comes with a cursor for each.
        #expect(try bench.send(subscribe, with) == [nil])
        let other = #"{"id":3,"op":"subscribe","channels":[{"name":"attic"}]}"#
        #expect(try bench.send(other, with) == ["forbidden"])
        // A right to read is none to write.
        let publish = #"{"id":4,"op":"publish","channel":"room","payload":1}"#
        #expect(try bench.send(publish, with) == ["forbidden"])
    }

    @Test("a right on exactly the wildcard is needed")
    func wildcard() throws {
        let bench = bench()
        let without = try session(bench, channels: ["news.a": 255, "news": 255, "news.*": 2])
        #expect(try bench.send(follow(#""wildcard":"news.*""#), without) == ["forbidden"])
        let with = try session(bench, channels: ["news.*": Self.read])
        #expect(try bench.send(follow(#""wildcard":"news.*""#), with) == [nil])
        let named = #"{"id":2,"op":"subscribe","channels":[{"name":"news.a"}]}"#
        #expect(try bench.send(named, with) == [nil])
        #expect(try bench.send(named.replacing("news.a", with: "new.a"), with) == ["forbidden"])
    }

    @Test("the past takes the right to read it")
    func history() throws {
        let news = #""wildcard":"news.*""#
        for (rights, past) in [(["read"], ["forbidden"]), (["read", "history"], [nil])] {
            var keyset = AccessBench.keyset
            keyset.webKeys = AccessBench.webKeys
            let bench = AccessBench(keyset: keyset)
            let token = AccessBench.webToken(rights, on: "news.*")
            let (reader, greeting) = try bench.session(token)
            #expect(greeting == [nil])
            #expect(try bench.send(follow(news, from: .zero), reader) == past)
            #expect(try bench.send(follow(news, from: AccessBench.now), reader) == [nil])
            let foreign = #"{"id":1,"op":"follow",\#(news),"cursor":"5","epoch":"foreign.b"}"#
            #expect(try bench.send(foreign, reader) == past)
        }
    }

    @Test("a summary tells of the past: to follow by summaries takes the right to read it")
    func summaries() throws {
        for (rights, wanted) in [(["read"], ["forbidden"]), (["read", "history"], [nil])] {
            var keyset = AccessBench.keyset
            keyset.webKeys = AccessBench.webKeys
            let bench = AccessBench(keyset: keyset)
            let (news, _) = try bench.session(AccessBench.webToken(rights, on: "news.*"))
            let follow = #"{"id":1,"op":"follow","wildcard":"news.*","actions":"summary"}"#
            #expect(try bench.send(follow, news) == wanted)
            let (reader, _) = try bench.session(AccessBench.webToken(rights))
            let room = #""channels":[{"name":"room","actions":"summary"}]"#
            #expect(try bench.send(#"{"id":2,"op":"subscribe",\#(room)}"#, reader) == wanted)
        }
    }

    @Test("who was let in by a group alone goes when the group loses the channel")
    func loses() throws {
        let bench = bench()
        let byGroup = try session(bench, groups: ["friends": Self.read])
        let byName = try session(
            bench, channels: ["room": Self.read], groups: ["friends": Self.read])
        for session in [byGroup, byName] {
            #expect(try bench.send(follow(#""group":"friends""#), session) == [nil])
            #expect(try bench.send(subscribe, session) == [nil])
        }
        #expect(bench.interests == 4)

        let group = ChannelGroup("friends", keyset: "sub")
        let membership = GroupMembership(group: group, channels: ["den"])
        bench.core.hub.engine.groups.apply([membership])
        bench.core.hub.selections.groupsChanged([membership], at: AccessBench.now)
        bench.core.turn(at: 0)

        let room = Channel("room", keyset: "sub")
        #expect(bench.core.hub.sessions[byGroup]?.subscriptions[room] == nil)
        #expect(bench.core.hub.sessions[byName]?.subscriptions[room] != nil)
    }

    @Test("what is followed by a selection's right alone ends with it, named or not")
    func endsWithIt() throws {
        let bench = bench()
        let session = try session(bench, channels: ["news.*": Self.read])
        #expect(try bench.send(follow(#""wildcard":"news.*""#), session) == [nil])
        let named = #"{"id":2,"op":"subscribe","channels":[{"name":"news.a"}]}"#
        #expect(try bench.send(named, session) == [nil])
        #expect(bench.interests == 1)
        let unfollow = #"{"id":3,"op":"unfollow","wildcard":"news.*"}"#
        #expect(try bench.send(unfollow, session) == [nil])
        #expect(bench.interests == 0)
        #expect(try bench.send(named, session) == ["forbidden"])
    }

    @Test("to follow by a group is no right to ask: no page, and so no live query")
    func asks() throws {
        let bench = bench()
        let session = try session(bench, groups: ["friends": 255])
        #expect(try bench.send(follow(#""group":"friends""#), session) == [nil])
        for members in [
            #""op":"actions","channel":"room""#, #""op":"history","channel":"room""#,
            #""op":"actions","channel":"room","live":true"#,
            #""op":"summaries","channel":"room","messages":["5"]"#,
        ] {
            #expect(try bench.send(#"{"id":4,\#(members)}"#, session) == ["forbidden"])
        }
    }

    @Test("another token without the group's right ends the session; one with it does not")
    func anotherToken() throws {
        for (groups, isClosed) in [(["friends": Self.read], false), (["others": 255], true)] {
            let bench = bench()
            let session = try session(bench, groups: ["friends": Self.read])
            #expect(try bench.send(follow(#""group":"friends""#), session) == [nil])
            let token = try AccessBench.token(channels: ["x": 255], groups: groups)
            _ = try bench.send(#"{"id":5,"op":"token","token":"\#(token)"}"#, session)
            #expect((bench.core.hub.sessions[session]?.isClosing ?? true) == isClosed)
        }
    }

    @Test("to change a group takes its own right, and to fill it those on what comes into it")
    func changes() throws {
        let add = #"{"id":1,"op":"changeGroup","group":"friends","add":["room"]}"#
        let remove = #"{"id":1,"op":"changeGroup","group":"friends","remove":["room"]}"#
        let list = #"{"id":1,"op":"group","group":"friends"}"#
        let cases: [(channels: [String: UInt8], group: UInt8, allowed: [Bool])] = [
            ([:], 255, [false, true, true]), (["room": 255], Self.read, [false, false, true]),
            (["room": 2], Self.manage, [false, true, true]),
            (["room": 255], Self.manage, [true, true, true]),
            (["room": 255], 2, [false, false, false]),
        ]
        for (channels, group, allowed) in cases {
            let bench = bench()
            let session = try session(bench, channels: channels, groups: ["friends": group])
            for (command, isAllowed) in zip([add, remove, list], allowed) {
                let codes = try bench.send(command, session)
                #expect(codes.contains("forbidden") == !isAllowed, "\(command) with \(group)")
            }
        }
    }
}
