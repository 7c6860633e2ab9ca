// A pattern of a token, on a name: "PATTERN\nNAME".

import EventModel

@testable import SyncDaemon

/// It costs what its size says, and means the same in a group and beside itself.
enum PatternFuzz {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let parts = bytes.parts(2)
        let text = parts[0].text
        let name = parts.count > 1 ? parts[1].text : "room-7"
        let pattern: AccessPattern
        do throws(AccessPatternError) {
            pattern = try AccessPattern(text)
        } catch {
            return try expect(!error.description.isEmpty, "no words for \(error)")
        }
        var steps = 0
        let isFound = pattern.matches(name, steps: &steps)
        let bound = 2 * pattern.size * (name.unicodeScalars.count + 1)
        try expect(steps <= bound, "\(steps) steps, and \(bound) are allowed")
        for other in ["(?:\(text))", "(\(text))|\(text)", "(\(text)){1}", "z*(\(text))"] {
            // It may be too long, too large or too deep.
            guard let other = try? AccessPattern(other) else { continue }
            try expect(other.matches(name) == isFound, "\(other.text) is another pattern")
        }
    }
}
