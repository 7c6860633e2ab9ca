// Every bound of what comes before a client's first request: TLS, and headers of proxies.

import EventModel

extension Limits {
    // MARK: TLS

    /// From the connection, or from its PROXY header, to the end of its TLS handshake; over it: the
    /// connection is closed.
    static let handshakeSeconds = 10
    /// TLS handshakes under way on one reactor; over it: the oldest is ended.
    static let handshakesMax = 1024
    /// Bytes that a peer sends before its last read of a TLS handshake; over it: the connection is
    /// closed.
    static let handshakeBytesMax = 16 * 1024
    /// Milliseconds of one turn of a reactor after which TLS handshakes wait for the next.
    static let handshakeMillisecondsPerTurn = 10
    /// Answers of TLS itself, such as new keys, while the socket is full; over it: the connection
    /// is closed.
    static let tlsAnswersMax = 32
    /// Days before the end of a certificate from which it is spoken of, once a day.
    static let certificateDays = 14

    // MARK: Proxies

    /// From a proxy's connection to the end of its PROXY header; over it: the connection is closed.
    static let proxyHeaderSeconds = 5
    /// Bytes of a PROXY header of version 2; over it: the connection is refused.
    static let proxyHeaderBytesMax = 2048
}
