// Who does not know the key is not let in, whatever they have heard.

import EventModel
import Testing

@testable import SyncDaemon

@Suite struct LinkHandshakeTests {
    private let key = Array("0123456789abcdef0123456789abcdef".utf8)
    private let other = Array("0123456789abcdef0123456789abcdeF".utf8)

    private func welcome(to hello: LinkHello, key: [UInt8]) -> LinkWelcome {
        LinkWelcome(
            to: hello, key: key, epoch: "store.run", term: 3,
            at: (Timetoken(rawValue: 9), Timetoken(rawValue: 8)))
    }

    @Test func whoKnowsTheKeyIsLetIn() throws {
        let challenge = LinkChallenge(nonce: LinkChallenge.makeNonce())
        let hello = LinkHello(nonce: LinkChallenge.makeNonce(), to: challenge, key: key)
        #expect(hello.isRight(for: challenge, key: key))
        let welcome = welcome(to: hello, key: key)
        #expect(welcome.isRight(for: hello, key: key))
        let copy = try LinkReader.value(
            LinkWelcome.self, of: LinkWriter.frame(welcome)[4...])
        #expect((copy.epoch, copy.term) == ("store.run", 3))
        #expect((copy.visible.rawValue, copy.durable.rawValue) == (9, 8))
        #expect(copy.isRight(for: hello, key: key))
    }

    @Test func anotherKeyIsRefusedByBoth() {
        let challenge = LinkChallenge(nonce: LinkChallenge.makeNonce())
        let hello = LinkHello(nonce: LinkChallenge.makeNonce(), to: challenge, key: other)
        #expect(!hello.isRight(for: challenge, key: key))
        #expect(!welcome(to: hello, key: other).isRight(for: hello, key: key))
    }

    @Test func whatWasHeardBeforeOpensNothing() {
        let first = LinkChallenge(nonce: LinkChallenge.makeNonce())
        let hello = LinkHello(nonce: LinkChallenge.makeNonce(), to: first, key: key)
        let second = LinkChallenge(nonce: LinkChallenge.makeNonce())
        #expect(!hello.isRight(for: second, key: key))
        // Nor does a word of one side pass for one of the other.
        let mirrored = LinkHello(nonce: first.nonce, to: LinkChallenge(nonce: []), key: key)
        #expect(!welcome(to: hello, key: key).isRight(for: mirrored, key: key))
    }

    @Test func noNonceComesTwice() {
        let nonces = (0..<100).map { _ in LinkChallenge.makeNonce() }
        #expect(Set(nonces).count == 100)
        #expect(nonces.allSatisfy { $0.count == LinkChallenge.nonceBytes })
    }
}
