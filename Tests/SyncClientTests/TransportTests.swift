// The libwebsockets transport by itself: pieces, floods, and the end of a connection.

import EventModel
import Testing

@testable import SyncClient

@Suite("Transport", .timeLimit(.minutes(10)))
struct TransportTests {
    private func open(_ server: ScriptedServer) async throws -> any WebSocketConnection {
        try await LibwebsocketsTransport().connect(
            to: try WebSocketAddress(server.url), subprotocol: "sync.v1.json")
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test("fragments become one message, whatever their size")
    func fragments() async throws {
        let long = String(repeating: "👍", count: 20_000)
        let server = try await ScriptedServer(
            connection(
                #"{"fragments":["a","","b\#(long)","c"]}"#, #"{"sendText":""}"#,
                #"{"sendText":"z"}"#))
        let connection = try await open(server)

        #expect(text(try await connection.receive()) == "ab\(long)c")
        #expect(text(try await connection.receive()) == "")
        #expect(text(try await connection.receive()) == "z")
        connection.close(code: 1000)
    }

    @Test("a reader that stands still stops the sender, and then gets everything in order")
    func flowControl() async throws {
        let count = 400
        let server = try await ScriptedServer(connection(#"{"flood":\#(count),"bytes":30000}"#))
        let connection = try #require(try await open(server) as? SocketConnection)

        try await eventually("the socket is not read any more") { connection.isPaused }
        var received: [String] = []
        for _ in 0..<count { received.append(text(try await connection.receive())) }

        #expect(received.indices.allSatisfy { received[$0].contains("\"n\": \($0),") })
        #expect(!connection.isPaused)
        connection.close(code: 1000)
        try await eventually("the server hears the close") { server.closeCodes[0] == 1000 }
    }

    @Test("messages that are sent in a burst arrive whole and in order")
    func sendsInOrder() async throws {
        let server = try await ScriptedServer(connection())
        let connection = try await open(server)
        let filler = String(repeating: "é", count: 10_000)

        for number in 0..<200 {
            connection.send(Array(#"{"id":\#(number),"op":"x","fill":"\#(filler)"}"#.utf8))
        }
        try await eventually("all are there") { server.commands.count == 200 }

        #expect(server.commands.map { $0.members["id"] } == (0..<200).map { "\($0)" })
        #expect(server.commands.allSatisfy { $0.members["fill"] == filler })
        connection.close(code: 1000)
    }

    @Test("what came before the end is still received, and then how it ended")
    func endsInOrder() async throws {
        let server = try await ScriptedServer(
            connection(#"{"sendText":"a"}"#, #"{"sendText":"b"}"#, close(4321)))
        let connection = try await open(server)

        try await eventually("the connection has ended") { server.closeCodes[0] == 4321 }

        #expect(text(try await connection.receive()) == "a")
        #expect(text(try await connection.receive()) == "b")
        let end = WebSocketClosure(code: 4321, reason: "scripted")
        await #expect(throws: end) { try await connection.receive() }
        await #expect(throws: end) { try await connection.receive() }
    }

    @Test("a connection that ends before anyone asks whether it opened keeps what came")
    func endsAtOnce() async throws {
        let connection = SocketConnection(
            id: SocketID(rawValue: 1), address: try WebSocketAddress("ws://127.0.0.1:1"),
            subprotocol: "sync.v1.json", trust: .nobody, ask: { _ in })
        let end = WebSocketClosure(code: 4321, reason: "scripted")
        connection.didOpen()
        _ = connection.didReceive(Array("a".utf8))
        connection.didEnd(end)

        try await connection.opened()

        #expect(text(try await connection.receive()) == "a")
        await #expect(throws: end) { try await connection.receive() }
    }

    @Test("a connection that breaks has no code")
    func breaks() async throws {
        let server = try await ScriptedServer(connection(drop))
        let connection = try await open(server)

        await #expect(throws: WebSocketClosure(reason: "the connection broke")) {
            try await connection.receive()
        }
    }

    @Test("invalid UTF-8 ends the connection")
    func invalidText() async throws {
        let server = try await ScriptedServer(connection(#"{"sendBadText":true}"#))
        let connection = try await open(server)

        await #expect(throws: WebSocketClosure.self) { try await connection.receive() }
        try await eventually("the server hears why") { server.closeCodes[0] == 1007 }
    }

    @Test("a connection that has ended goes away")
    func goesAway() async throws {
        let server = try await ScriptedServer(connection(close(1000)))
        weak var forgotten: SocketConnection?
        do {
            let connection = try #require(try await open(server) as? SocketConnection)
            forgotten = connection
            await #expect(throws: WebSocketClosure.self) { try await connection.receive() }
        }

        try await eventually("it is gone") { forgotten == nil }
    }

    @Test("a cancelled attempt ends at once")
    func cancels() async throws {
        let server = try await ScriptedServer("\"silent\"")
        let task = Task { try await open(server) }
        try await eventually("the server has the connection") {
            server.lines.contains(#"{"connection":0,"silent":true}"#)
        }

        task.cancel()

        await #expect(throws: WebSocketClosure.self) { _ = try await task.value }
    }

    @Test("nobody listens")
    func refused() async throws {
        await #expect(throws: WebSocketClosure.self) {
            _ = try await LibwebsocketsTransport().connect(
                to: try WebSocketAddress("ws://127.0.0.1:1"), subprotocol: "sync.v1.json")
        }
    }

    @Test("something that is not a WebSocket server is refused with its reason")
    func notWebSocket() async throws {
        let server = try await ScriptedServer("\"http\"")

        await #expect(
            throws: WebSocketClosure(
                reason: "it refuses a WebSocket at /v1/sync", cause: .notWebSocket)
        ) {
            _ = try await open(server)
        }
    }

    @Test("a host that nobody knows is not a daemon that is down")
    func unknownHost() async throws {
        let error = await #expect(throws: WebSocketClosure.self) {
            _ = try await LibwebsocketsTransport().connect(
                to: try WebSocketAddress("ws://no-such-host.invalid:1"),
                subprotocol: "sync.v1.json")
        }
        #expect(error?.cause == .unknownHost)
        #expect(error?.reason.isEmpty == false)
    }

    @Test("a file of authorities that is none is said, and nothing is trusted instead")
    func noAuthorities() async throws {
        for file in ["/nowhere.pem", #filePath] {
            let error = await #expect(throws: WebSocketClosure.self) {
                _ = try await LibwebsocketsTransport(caFile: file).connect(
                    to: try WebSocketAddress("wss://127.0.0.1:1"), subprotocol: "sync.v1.json")
            }
            #expect(error?.cause == .untrusted)
            #expect(error?.reason.contains(file) == true)
        }
    }
}
