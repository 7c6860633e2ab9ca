// The transport of Apple's platforms, as far as Linux can run it: its words and its delegate.

#if URLSESSION

import Foundation
import Testing

@testable import SyncClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("URLSession", .timeLimit(.minutes(10)))
struct URLSessionTests {
    @Test("where URLSession has no WebSocket, the attempt ends in words")
    func connects() async throws {
        let server = try await ScriptedServer(connection())
        let address = try WebSocketAddress(server.url)
        await #expect(
            throws: WebSocketClosure(reason: "this system's URLSession has no WebSocket")
        ) {
            _ = try await URLSessionTransport().connect(to: address, subprotocol: "sync.v1.json")
        }
    }

    @Test("a client says what the transport said")
    func client() async throws {
        var configuration = try SyncClient.Configuration(
            url: "ws://127.0.0.1:9", userID: "ada", deviceID: "phone")
        configuration.transport = URLSessionTransport()
        let client = SyncClient(configuration)
        let error = await #expect(throws: SyncClientError.self) { try await client.connect() }
        #expect(error?.code == "cannot_connect")
        #expect(error?.problem.contains("has no WebSocket") == true)
        await client.close()
    }

    @Test(
        "what URLSession says has a cause that the client knows",
        arguments: [
            (URLError.Code.cannotFindHost, WebSocketClosure.Cause.unknownHost),
            (.dnsLookupFailed, .unknownHost), (.badServerResponse, .notWebSocket),
            (.secureConnectionFailed, .otherScheme), (.serverCertificateUntrusted, .untrusted),
            (.serverCertificateHasBadDate, .untrusted), (.cannotConnectToHost, .other),
            (.timedOut, .other),
        ])
    func causes(code: URLError.Code, cause: WebSocketClosure.Cause) {
        let closure = WebSocketClosure(URLError(code))

        #expect(closure.cause == cause)
        #expect(closure.code == nil)
        #expect(!closure.reason.contains("NSURLErrorDomain"))
    }

    @Test("what it says that nobody foresaw keeps its number, and other errors their words")
    func unforeseen() {
        #expect(WebSocketClosure(URLError(.cannotMoveFile)).reason.contains("-3005"))
        #expect(!WebSocketClosure(CocoaError(.fileNoSuchFile)).reason.isEmpty)
        #expect(WebSocketClosure(nil).reason == "the connection broke")
    }

    @Test("a close frame's code and reason are handed on, and an empty reason has words")
    func closes() throws {
        let policy = try #require(URLSessionWebSocketTask.CloseCode(rawValue: 1008))
        let said = WebSocketClosure(code: policy, reason: Data("bad_token: No.".utf8))
        #expect(said == WebSocketClosure(code: 1008, reason: "bad_token: No."))
        #expect(
            WebSocketClosure(code: .goingAway, reason: Data())
                == WebSocketClosure(code: 1001, reason: "the daemon closed"))
    }

    @Test("the first end is the one that is told, and who waits for the handshake hears it")
    func observes() async throws {
        let observer = URLSessionObserver()
        let session = URLSession(configuration: .ephemeral)
        let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:9")))
        let waiting = Task { await observer.opened() }

        observer.urlSession(session, task: task, didCompleteWithError: URLError(.timedOut))
        observer.urlSession(session, task: task, didCompleteWithError: URLError(.cancelled))

        let closure = WebSocketClosure(reason: "nothing came for too long")
        #expect(observer.closure == closure)
        let outcome = await waiting.value
        #expect(throws: closure) { try outcome.get() }
    }

    @Test("a handshake that is given up has failed, whatever comes later")
    func givesUp() async {
        let observer = URLSessionObserver()
        observer.giveUp()
        let closure = WebSocketClosure(reason: "the handshake was not finished")
        let outcome = await observer.opened()
        #expect(throws: closure) { try outcome.get() }
        #expect(observer.closure == nil)
    }
}

#endif
