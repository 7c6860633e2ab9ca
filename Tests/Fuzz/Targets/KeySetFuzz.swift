// The file of a tenant's public keys.

import EventModel

@testable import SyncDaemon

/// It is taken or refused in words; no key of it takes a signature that nobody made.
enum KeySetFuzz {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let keys: JSONWebKeySet
        do throws(JSONWebKeyError) {
            keys = try JSONWebKeySet(bytes.text)
        } catch {
            return try expect(!error.description.isEmpty, "no words for \(error)")
        }
        guard let key = keys.key(nil) else { return }
        try expect(key.id.map { keys.key($0) == key } ?? true, "\(key) is not found by its name")
        for count in [0, 32, 64, 256] {
            let signature = [UInt8](repeating: 0, count: count)
            try expect(!key.signed([1], signature), "\(count) zeros are a signature")
        }
    }
}
