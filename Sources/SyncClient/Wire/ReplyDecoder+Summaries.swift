// The summaries of a reply, read.

import EventModel
import JSON

extension ReplyDecoder {
    func summariesPage(_ result: borrowing JSONValue) throws(JSONError) -> SummariesPage {
        var page = SummariesPage(try summaries(result))
        guard result.member("rest") != nil else { return page }
        let rest = try result.array("rest")
        for index in 0..<rest.count {
            guard let message = rest.element(at: index).string.flatMap(Timetoken.init) else {
                throw .wrongType("rest", expected: "an array of timetokens")
            }
            page.rest.append(message)
        }
        return page
    }

    func summaries(
        _ result: borrowing JSONValue, in name: String = "summaries"
    ) throws(JSONError) -> [MessageSummary] {
        let list = try result.array(name)
        var summaries: [MessageSummary] = []
        for index in 0..<list.count { summaries.append(try summary(list.element(at: index))) }
        return summaries
    }

    private func summary(_ json: borrowing JSONValue) throws(JSONError) -> MessageSummary {
        let list = try json.array("g")
        var groups: [MessageSummary.Group] = []
        for index in 0..<list.count { groups.append(try group(list.element(at: index))) }
        guard let state = SummaryState(try json.string("h")) else {
            throw .wrongType("h", expected: "a string of 32 hexadecimal digits")
        }
        return MessageSummary(
            messageTimetoken: try json.timetoken("m"), position: try json.timetoken("t"),
            groups: groups, omitted: try json.optionalInteger("x").map { Int($0) } ?? 0,
            state: state)
    }

    private func group(_ json: borrowing JSONValue) throws(JSONError) -> MessageSummary.Group {
        let count = Int(try json.integer("n"))
        let users = try json.array("u")
        var authors: [String] = []
        for index in 0..<users.count {
            guard let user = users.element(at: index).string else {
                throw .wrongType("u", expected: "an array of strings")
            }
            authors.append(user)
        }
        return MessageSummary.Group(
            type: try json.string("t"), value: try json.string("v"), count: count,
            score: try json.optionalInteger("s").map { Int($0) } ?? count,
            first: try json.timetoken("f"), last: try json.timetoken("l"), authors: authors)
    }
}
