// A message of a native client.

import EventModel
import SyncClient

@testable import SyncClient
@testable import SyncDaemon

/// Each is a command or an error with words; what a client writes of a command is read as the same.
enum CommandFuzz {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let decoded = CommandDecoder.decode(bytes.span.bytes)
        switch decoded.command {
        case .failure(let error):
            try expect(
                !error.code.isEmpty && !error.message.isEmpty && (400..<600).contains(error.status),
                "an error without words: \(error)")
        case .success(let command):
            guard let id = decoded.id, id >= 0 else {
                throw Finding(description: "a command without a number: \(command)")
            }
            let written = CommandEncoder.encode(command, id: id)
            let again = CommandDecoder.decode(written.span.bytes)
            try expect(again.id == id, "command \(id) became \(String(describing: again.id))")
            guard case .success(command) = again.command else {
                throw Finding(description: "\(command) became \(again.command)")
            }
        }
    }
}
