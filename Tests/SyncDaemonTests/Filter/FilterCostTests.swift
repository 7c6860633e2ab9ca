// What a filter may cost.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("The cost of filters")
struct FilterCostTests {
    /// As much as a message can hold, and nothing in it that a filter looks for.
    static let payload = String(repeating: "a", count: 32_000)

    /// A condition over and over: the longest such filter that leaves some bytes.
    static func repeated(_ condition: String, reserving bytes: Int = 0) -> String {
        let unit = condition + "||"
        let count = (Limits.filterBytesMax - bytes - condition.utf8.count) / unit.utf8.count
        return String(repeating: unit, count: count) + condition
    }

    private func verdict(_ filter: String, payload: FilterValue) throws -> (Bool, Int) {
        let message = FilteredMessage(
            bytes: Self.payload.utf8.count, meta: .undefined, payload: { payload })
        let (isWanted, steps) = try MessageFilter(filter).verdict(on: message)
        return (isWanted, steps)
    }

    @Test(
        "who asks too much is sent the message, after no more steps than are allowed",
        arguments: [
            "data like'*b*'", "data contains'b'", "data=='b'", "data<'A'", "'b'in data",
            "data+1==2",
            "-data==1", "~data==1",
        ])
    func cutShort(condition: String) throws {
        let (isWanted, steps) = try verdict(
            Self.repeated(condition), payload: .string(Self.payload))

        #expect(isWanted)
        // The operator that goes over the bound was not carried out.
        let operation = 2 * Self.payload.utf8.count / FilterCost.bytesPerStep
        #expect((Limits.filterStepsMax...(Limits.filterStepsMax + operation)).contains(steps))
    }

    @Test("lists and objects cost as much as the message, whatever is asked of them")
    func collections() throws {
        let list = FilterValue.list((0..<1000).map { .number(Double($0)) })
        let (isWanted, steps) = try verdict(Self.repeated("data==data[0]"), payload: list)

        #expect(isWanted)
        #expect(steps > Limits.filterStepsMax)
    }

    @Test(
        "a search of the largest message is within bounds, and so is a long filter of a small one")
    func usual() throws {
        let (isWanted, steps) = try verdict("data like '*b*'", payload: .string(Self.payload))
        #expect(!isWanted)
        #expect(steps < Limits.filterStepsMax)

        let small = FilteredMessage(bytes: 100, meta: .undefined) { .string("some text") }
        let long = try MessageFilter(Self.repeated("data like'*b*'")).verdict(on: small)
        #expect(!long.isWanted)
        #expect(long.steps < Limits.filterStepsMax)
    }
}
