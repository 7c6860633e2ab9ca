// How the messages of a channel become values, and values messages.

import SyncClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Two functions between a type and JSON text.
public struct PayloadCoding<Payload: Codable & Sendable>: Sendable {
    /// From what a message holds, which may be of any client and of any release.
    public var decode: @Sendable (String) throws -> Payload
    /// Any JSON value, a string or a number too.
    public var encode: @Sendable (Payload) throws -> String

    public init(
        decode: @escaping @Sendable (String) throws -> Payload,
        encode: @escaping @Sendable (Payload) throws -> String
    ) {
        self.decode = decode
        self.encode = encode
    }

    /// As `JSONDecoder` and `JSONEncoder` do it without being told anything.
    public static var json: PayloadCoding {
        PayloadCoding(
            decode: { try JSONDecoder().decode(Payload.self, from: Data($0.utf8)) },
            encode: {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.withoutEscapingSlashes]
                return String(decoding: try encoder.encode($0), as: UTF8.self)
            })
    }

    /// - Throws: ``SyncClientError/invalidMessage(reason:)``.
    func text(of payload: Payload) throws(SyncClientError) -> String {
        do {
            return try encode(payload)
        } catch {
            throw .invalidMessage(reason: "it cannot be written as JSON (\(error))")
        }
    }
}
