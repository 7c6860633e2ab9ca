// One measurement as a value, and as one line of JSON.

import JSON

/// What was measured on one server.
struct Record: Hashable {
    let scenario: String
    let server: ServerKind
    /// What it was measured with, such as `subscribers` and `window`.
    var parameters: [String: Int]
    var values: [Metric: Double]

    /// Whether the other one measures the same thing, perhaps on another server.
    func isLike(_ other: Record) -> Bool {
        scenario == other.scenario && parameters == other.parameters
    }

    /// One line, such as `fanout subscribers=1000 window=50`.
    var name: String {
        let list = parameters.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        return scenario + list.joined()
    }

    /// One object, without a line end.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("scenario", scenario)
        writer.member("server", server.rawValue)
        writer.member("parameters", raw: Self.object(parameters.map { ($0.key, "\($0.value)") }))
        writer.name("values")
        let finite = values.filter { $0.value.isFinite }
        writer.raw(Self.object(finite.map { ($0.key.rawValue, "\($0.value)") }))
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The names here are plain words, so nothing needs to be escaped.
    private static func object(_ members: [(name: String, value: String)]) -> String {
        let ordered = members.sorted { $0.name < $1.name }
        return "{" + ordered.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
    }
}

extension Record {
    /// Reads the lines that a run with `--json` wrote; the line about the machine is left out.
    static func read(_ text: String) throws(BenchError) -> [Record] {
        var records: [Record] = []
        for (index, line) in text.split(separator: "\n").enumerated() {
            do throws(JSONError) {
                let json = try JSONValue(parsing: String(line))
                if json.has("machine") { continue }
                if let record = try Record(json) { records.append(record) }
            } catch {
                throw BenchError("Line \(index + 1): \(error)")
            }
        }
        return records
    }

    /// `nil` for a server that this version does not know.
    private init?(_ json: borrowing JSONValue) throws(JSONError) {
        guard let server = ServerKind(rawValue: try json.string("server")) else { return nil }
        let parameters = try json.object("parameters")
        let values = try json.object("values")
        scenario = try json.string("scenario")
        self.server = server
        self.parameters = [:]
        self.values = [:]
        for name in parameters.memberNames {
            self.parameters[name] = Int(try parameters.integer(name))
        }
        for name in values.memberNames {
            guard let metric = Metric(rawValue: name), let value = values.member(name) else {
                continue
            }
            self.values[metric] = Double(value.compactText)
        }
    }
}
