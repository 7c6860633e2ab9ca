// Starts the scripted WebSocket server and reads what it saw.

import Foundation
import Testing

/// A real process that plays a script of a daemon's side, good or bad.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let process: ChildProcess

    /// What the server said, line by line, after its port.
    var lines: [String] { Array(process.lines.dropFirst()) }
    var url: String { "ws://127.0.0.1:\(port)" }

    /// - Parameter connections: JSON lists of steps, one for each connection, in order.
    init(_ connections: String...) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/scripted_server.py")
        process = try ChildProcess(
            "/usr/bin/python3", [script.path(), "[\(connections.joined(separator: ","))]"])
        let process = process
        let first = try await eventually("the server says its port") { process.lines.first }
        port = try #require(UInt16(first))
    }

    /// Every command that came, as `op`s, by connection.
    var operations: [[String]] {
        var operations: [[String]] = []
        for command in commands {
            while operations.count <= command.connection { operations.append([]) }
            operations[command.connection].append(command.operation)
        }
        return operations
    }

    /// Every command that came.
    var commands: [(connection: Int, operation: String, members: [String: String])] {
        lines.compactMap { line in
            guard let object = parse(line), let command = object["received"] as? [String: Any],
                let connection = object["connection"] as? Int,
                let operation = command["op"] as? String
            else { return nil }
            return (connection, operation, command.mapValues(text))
        }
    }

    /// Every token that was shown, in order.
    var tokens: [String] { commands.compactMap { $0.members["token"] } }

    /// Waits until exactly these commands have come; what the server says arrives a little later.
    func expect(_ expected: [[String]]) async throws {
        try await eventually("the commands are \(expected)") { operations == expected }
    }

    /// Waits until at least `count` commands have come, and returns them.
    func commands(
        _ count: Int
    ) async throws -> [(connection: Int, operation: String, members: [String: String])] {
        try await eventually("\(count) commands have come") {
            commands.count >= count ? commands : nil
        }
    }

    /// The close codes that the server saw, by connection.
    var closeCodes: [Int: Int] {
        var codes: [Int: Int] = [:]
        for line in lines {
            guard let object = parse(line), let connection = object["connection"] as? Int,
                let code = object["closed"] as? Int
            else { continue }
            codes[connection] = code
        }
        return codes
    }

    /// A string as it is; anything else as JSON with its names in order.
    private func text(_ value: Any) -> String {
        if let text = value as? String { return text }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
        let data = try? JSONSerialization.data(withJSONObject: value, options: options)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    private func parse(_ line: String) -> [String: Any]? {
        try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
}
