// A filter expression over a message: "EXPRESSION\nMETA\nPAYLOAD", the last two as JSON.

import EventModel
import JSON

@testable import SyncDaemon

/// It is taken or refused in words, costs what it may, and means the opposite of its negation.
enum FilterFuzz {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let parts = bytes.parts(3)
        let text = parts[0].text
        let filter: MessageFilter
        do throws(MessageFilterError) {
            filter = try MessageFilter(text)
        } catch {
            try expect(
                (1...text.unicodeScalars.count + 1).contains(error.position)
                    && !error.expected.isEmpty, "\(error)")
            return
        }
        try expect(filter.text.utf8.elementsEqual(text.utf8), "the text is \(filter.text)")
        guard let message = message(parts) else { return }
        let verdict = filter.verdict(on: message)
        // The operator that goes over the bound was not carried out, the parts behind it count 1.
        let bound = Limits.filterStepsMax + 2 * message.cost + 2 * text.utf8.count
        try expect(verdict.steps <= bound, "\(verdict.steps) steps")
        let again = filter.verdict(on: message)
        try expect(again == verdict, "\(verdict), and then \(again)")
        try checkNegation(of: text, on: message, verdict)
    }

    private static func checkNegation(
        of text: String, on message: FilteredMessage, _ verdict: (isWanted: Bool, steps: Int)
    ) throws(Finding) {
        guard let negated = try? MessageFilter("!(\(text))"),
            let twice = try? MessageFilter("!(!(\(text)))")
        else { return }
        let other = negated.verdict(on: message)
        let same = twice.verdict(on: message)
        guard max(verdict.steps, other.steps, same.steps) <= Limits.filterStepsMax else { return }
        try expect(!(verdict.isWanted && other.isWanted), "wanted, and so is its negation")
        try expect(verdict.isWanted == same.isWanted, "twice negated it is another filter")
    }

    private static func message(_ parts: [[UInt8]]) -> FilteredMessage? {
        func json(_ index: Int) -> String? {
            guard index < parts.count,
                (try? JSONValue(parsing: parts[index], depthMax: Limits.jsonDepthMax)) != nil
            else { return nil }
            return parts[index].text
        }
        let message = Message(payload: json(2) ?? "1", meta: json(1))
        return FilteredMessage(
            EncodedEnvelope(
                Envelope(
                    channel: Channel("room"), timetoken: Timetoken(rawValue: 19), uuid: "ada",
                    event: .message(message))))
    }
}
