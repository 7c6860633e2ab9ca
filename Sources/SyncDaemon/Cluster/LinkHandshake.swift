// How two daemons find out that both have the key of their cluster, before anything else is said.
//
// The key itself never travels. What is said later is neither hidden nor sealed: the network is to
// be the cluster's own.

import EventModel

/// The first frame: of the daemon that orders.
struct LinkChallenge: LinkCodable {
    /// What both sides speak.
    static let version: UInt8 = 1

    let version: UInt8
    let nonce: [UInt8]

    init(nonce: [UInt8]) { (version, self.nonce) = (Self.version, nonce) }

    init(from reader: inout LinkReader) throws(LinkError) {
        version = try reader.byte()
        nonce = Array(try reader.take(Self.nonceBytes))
    }

    func write(to writer: inout LinkWriter) {
        writer.put(byte: version)
        for byte in nonce { writer.put(byte: byte) }
    }

    static let nonceBytes = 32

    static func makeNonce() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<nonceBytes).map { _ in .random(in: .min ... .max, using: &generator) }
    }
}

/// What the one that follows says to that.
struct LinkHello: LinkCodable {
    let nonce: [UInt8]
    let code: [UInt8]

    /// - Parameter challenge: What it answers.
    init(nonce: [UInt8], to challenge: LinkChallenge, key: [UInt8]) {
        self.nonce = nonce
        code = Self.code(of: "hello", challenge.nonce + nonce, key: key)
    }

    func isRight(for challenge: LinkChallenge, key: [UInt8]) -> Bool {
        Signing.areEqual(code, Self.code(of: "hello", challenge.nonce + nonce, key: key))
    }

    init(from reader: inout LinkReader) throws(LinkError) {
        nonce = Array(try reader.take(LinkChallenge.nonceBytes))
        code = Array(try reader.take(Signing.hashBytes))
    }

    func write(to writer: inout LinkWriter) {
        for byte in nonce + code { writer.put(byte: byte) }
    }

    /// Each side's are of another kind: to send one back says nothing.
    fileprivate static func code(of kind: String, _ said: [UInt8], key: [UInt8]) -> [UInt8] {
        Signing.code(of: Array("syncdaemon link \(kind) ".utf8) + said, key: key)
    }
}

/// What the one that orders says then: where it stands; every step after it follows.
struct LinkWelcome: LinkCodable {
    let code: [UInt8]
    /// What its clients are told: store and run.
    let epoch: String
    let term: Int
    let visible: Timetoken
    let durable: Timetoken

    init(
        to hello: LinkHello, key: [UInt8], epoch: String, term: Int,
        at settled: (visible: Timetoken, durable: Timetoken)
    ) {
        (self.epoch, self.term) = (epoch, term)
        (visible, durable) = settled
        code = LinkHello.code(of: "welcome", hello.nonce, key: key)
    }

    func isRight(for hello: LinkHello, key: [UInt8]) -> Bool {
        Signing.areEqual(code, LinkHello.code(of: "welcome", hello.nonce, key: key))
    }

    init(from reader: inout LinkReader) throws(LinkError) {
        code = Array(try reader.take(Signing.hashBytes))
        epoch = try reader.value()
        term = try reader.value()
        visible = try reader.value()
        durable = try reader.value()
    }

    func write(to writer: inout LinkWriter) {
        for byte in code { writer.put(byte: byte) }
        writer.put(epoch)
        writer.put(term)
        writer.put(visible)
        writer.put(durable)
    }
}
