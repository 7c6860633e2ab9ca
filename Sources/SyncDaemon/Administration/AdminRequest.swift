// Reading what an operator asks: every field as text, whether it came in a query or in JSON.

import EventModel
import JSON

/// The fields of one request, and who sent it.
struct AdminRequest: Sendable {
    /// For the log: `uid 0 pid 4711`, or an address.
    let peer: String
    /// The tenants as the reactor that was asked knows them.
    let keysets: Keysets
    private let values: [String: String]

    init(_ values: [String: String] = [:], peer: String = "", keysets: Keysets = Keysets()) {
        (self.values, self.peer, self.keysets) = (values, peer, keysets)
    }

    /// - Throws: `invalid_field`, also for a field that the operation does not have.
    init(
        _ request: HTTPRequest, to operation: AdminOperation, peer: String, keysets: Keysets
    ) throws(AdminError) {
        let members =
            try operation.isChange ? Self.body(request, to: operation) : Self.query(request)
        var values: [String: String] = [:]
        let names = operation.fields.map(\.name)
        for (name, value) in members {
            guard names.contains(name) else {
                let known = names.isEmpty ? "there are none" : names.joined(separator: ", ")
                throw .invalid(name, "one of this operation's: \(known)")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .invalid(name, "there once")
            }
        }
        for field in operation.fields where values[field.name] == nil {
            if field.isRequired { throw .invalid(field.name, "there: \(field.summary)") }
            if field.isRequiredAmongKeysets, keysets.configured.count > 1 {
                throw .invalid(field.name, "there: there are several, which tenants lists")
            }
        }
        self.init(values, peer: peer, keysets: keysets)
    }

    private static func query(
        _ request: HTTPRequest
    ) throws(AdminError) -> [(name: String, value: String)] {
        let encoding = "percent-encoded UTF-8 without U+0000"
        guard let target = RequestTarget(request.target) else { throw .invalid("query", encoding) }
        do throws(RequestTargetError) {
            return try target.query(isForm: true).members.map { ($0.name, $0.value) }
        } catch {
            throw .invalid(error.parameter ?? "query", encoding)
        }
    }

    private static func body(
        _ request: HTTPRequest, to operation: AdminOperation
    ) throws(AdminError) -> [(name: String, value: String)] {
        guard !request.body.isEmpty else { return [] }
        guard let json = try? JSONValue(parsing: request.body, depthMax: Limits.jsonDepthMax),
            json.isObject
        else { throw .notJSON }
        var members: [(name: String, value: String)] = []
        for name in json.memberNames {
            guard let member = json.member(name) else { continue }
            // What is no field is refused as such.
            guard let field = operation.fields.first(where: { $0.name == name }) else {
                members.append((name, ""))
                continue
            }
            if field.placeholder == nil {
                guard let flag = member.bool else { throw .invalid(name, "true or false") }
                members.append((name, "\(flag)"))
            } else {
                guard let text = member.string, !text.utf8.contains(0) else {
                    throw .invalid(name, "a text without U+0000")
                }
                members.append((name, text))
            }
        }
        return members
    }

    // MARK: Fields

    subscript(name: String) -> String? { values[name] }

    func text(_ name: String) throws(AdminError) -> String {
        guard let value = values[name], !value.isEmpty else { throw .invalid(name, "there") }
        return value
    }

    func flag(_ name: String) throws(AdminError) -> Bool {
        switch values[name] {
        case nil, "false": false
        case "true", "": true
        default: throw .invalid(name, "true or false")
        }
    }

    func number(
        _ name: String, in range: ClosedRange<Int>, or standard: Int
    ) throws(AdminError) -> Int {
        guard let text = values[name] else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw .invalid(name, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The tenant that is meant.
    func keyset() throws(AdminError) -> Keyset {
        let key = values["keyset"] ?? keysets.defaultKey
        guard let keyset = keysets.tenant(key) else {
            throw .notFound("There is no keyset with this subscribe key; tenants lists them.")
        }
        return keyset
    }

    func filter() throws(AdminError) -> SessionFilter {
        if values["keyset"] != nil { _ = try keyset() }
        var filter = SessionFilter(
            id: values["id"], keyset: values["keyset"], user: values["user"],
            channel: values["channel"])
        if let text = values["address"] {
            guard let range = AddressRange(text) else {
                throw .invalid("address", "an address, or a range such as 192.0.2.0/24")
            }
            filter.address = range
        }
        return filter
    }

    func sessionPlace() throws(AdminError) -> SessionPlace {
        guard let text = values["after"] else { return SessionPlace(reactor: 0, slot: 0) }
        guard let place = SessionPlace(text) else {
            throw .invalid("after", "what the list before said as next")
        }
        return place
    }

    /// For the log; what is secret is not shown.
    func description(of operation: AdminOperation) -> String {
        operation.fields.compactMap { field in
            values[field.name].map { "\(field.name)=\(field.isSecret ? "***" : $0)" }
        }.joined(separator: " ")
    }
}
