// What was found in a cache, as lines for people and for programs. Pure.

import EventModel
import JSON

extension HumanFormat {
    /// One line for the channel, and below it the segments that differ, each with its rows.
    func lines(for finding: CacheFinding, wasRepaired: Bool) -> [String] {
        let name = printable(finding.channel)
        let sizes = "\(finding.messages) messages, \(finding.actions) actions"
        let part = finding.rest.map { ", after \($0.after)" } ?? ""
        var lines = [
            "\(name): \(outcome(finding, wasRepaired)) (\(sizes) as of \(finding.cursor)\(part))"
        ]
        if finding.rest?.isEqual == false {
            lines.append("  what is before those that the file has")
        }
        for segment in finding.segments {
            lines.append(
                "  \(messages(segment.messages)): \(count(segment.differences.count, "row"))")
            for difference in segment.differences {
                lines.append(
                    "    \(difference.wasMissing ? "missing" : "extra  ")  \(row(difference))")
            }
        }
        return lines
    }

    private func outcome(_ finding: CacheFinding, _ wasRepaired: Bool) -> String {
        guard !finding.isEqual else { return "equal" }
        let word = wasRepaired ? "repaired" : "different"
        guard finding.rowCount > 0 else { return word }
        return "\(word), \(count(finding.rowCount, "row")) in "
            + count(finding.segments.count, "segment")
    }

    private func messages(_ range: MessageRange) -> String {
        "messages after \(range.after)" + (range.through < .end ? " through \(range.through)" : "")
    }

    private func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
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
            if let rest = finding.rest {
                json.beginObject("window")
                json.member("after", quoted: rest.after.rawValue)
                json.name("restEqual")
                json.bool(rest.isEqual)
                json.endObject()
            }
            json.beginArray("segments")
            for segment in finding.segments { write(segment, into: &json) }
            json.endArray()
        }
    }

    private func write(_ segment: CacheFinding.Segment, into json: inout JSONWriter) {
        json.beginObject()
        json.member("after", quoted: segment.messages.after.rawValue)
        if segment.messages.through < .end {
            json.member("through", quoted: segment.messages.through.rawValue)
        }
        json.name("rows")
        json.integer(segment.differences.count)
        json.beginArray("differences")
        for difference in segment.differences {
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
        json.endObject()
    }
}
