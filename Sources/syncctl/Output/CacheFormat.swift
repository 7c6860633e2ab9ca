// What was found in a cache, as lines for people and for programs. Pure.

import EventModel
import JSON

extension HumanFormat {
    /// One line for the channel, and one for each row that was different.
    func lines(for finding: CacheFinding, wasRepaired: Bool) -> [String] {
        let name = printable(finding.channel)
        let rows = finding.differences.count
        let outcome =
            finding.isEqual
            ? "equal" : wasRepaired ? "repaired, \(rows) rows" : "different, \(rows) rows"
        let sizes = "\(finding.messages) messages, \(finding.actions) actions"
        return ["\(name): \(outcome) (\(sizes) as of \(finding.cursor))"]
            + finding.differences.map { "  \($0.wasMissing ? "missing" : "extra  ")  \(row($0))" }
    }

    private func row(_ difference: CacheFinding.Difference) -> String {
        switch difference.row {
        case .messagePut(let timetoken, let entry):
            "\(timetoken)  \(printable(entry.uuid)): \(printable(entry.message.payload))"
        case .messageDropped(let timetoken, _): "\(timetoken)  a message"
        case .actionPut(let action), .actionDropped(let action): line(for: action)
        }
    }
}

extension JSONFormat {
    func line(for finding: CacheFinding, wasRepaired: Bool) -> String {
        object { json in
            json.member("channel", finding.channel)
            json.name("equal")
            json.bool(finding.isEqual)
            json.name("repaired")
            json.bool(wasRepaired && !finding.isEqual)
            json.name("messages")
            json.integer(finding.messages)
            json.name("actions")
            json.integer(finding.actions)
            json.member("cursor", quoted: finding.cursor.rawValue)
            json.name("differences")
            json.beginArray()
            for difference in finding.differences {
                json.beginObject()
                json.member("row", difference.wasMissing ? "missing" : "extra")
                switch difference.row {
                case .messagePut(let timetoken, _), .messageDropped(let timetoken, _):
                    json.member("timetoken", quoted: timetoken.rawValue)
                case .actionPut(let action), .actionDropped(let action):
                    Self.write(action, into: &json)
                }
                json.endObject()
            }
            json.endArray()
        }
    }
}
