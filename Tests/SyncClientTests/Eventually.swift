// Waiting for something to become true, as long as something happens.

import Foundation

/// A condition that did not come true although nothing was under way any more.
struct NeverHappened: Error, CustomStringConvertible {
    let description: String
}

/// Looks again and again until there is a value, or nothing happens any more.
func eventually<Value>(
    _ what: String, _ look: () async throws -> Value?
) async throws -> Value {
    var patience = Patience()
    while !patience.isOver {
        if let value = try await look() { return value }
        patience.looked()
        try await Task.sleep(for: .milliseconds(5))
    }
    throw NeverHappened(description: "It never happened that \(what).")
}

/// Looks again and again until something is true.
func eventually(_ what: String, _ isTrue: () async throws -> Bool) async throws {
    let _: Void = try await eventually(what) { try await isTrue() ? () : nil }
}

/// How long a wait goes on: counted in looks, which a loaded machine makes longer, too, and as long
/// as programs that the tests have started are at work.
struct Patience {
    /// Looks without progress; 20 seconds on a machine that does nothing else.
    private static let looksMax = 4000
    /// Programs that only spin make no progress: so often their work alone keeps a wait alive.
    private static let worksMax = 10
    /// Clock ticks, 10 ms each, over the looks of one patience: 3 % of a core.
    private static let ticksMin = 60

    private var looks = 0
    private var works = 0
    private var ticks = Patience.ticksOfChildren()
    private(set) var isOver = false

    mutating func looked() {
        looks += 1
        guard looks >= Self.looksMax else { return }
        let now = Self.ticksOfChildren()
        works += 1
        isOver = now - ticks < Self.ticksMin || works > Self.worksMax
        (looks, ticks) = (0, now)
    }

    /// Processor time of the processes that this one has started and that still run.
    private static func ticksOfChildren() -> Int {
        let own = ProcessInfo.processInfo.processIdentifier
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.reduce(0) { sum, process in
            guard Int(process) != nil,
                let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let end = stat.lastIndex(of: ")")
            else { return sum }
            // From the state on: parent is the second field, user and system time are 12 and 13.
            let fields = stat[end...].dropFirst(2).split(separator: " ")
            guard fields.count > 12, Int32(fields[1]) == own else { return sum }
            return sum + (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
        }
    }
}
