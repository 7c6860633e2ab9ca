// The stories of Tests/Fixtures/windows.json: what a device with a window asks and holds.

import EventModel
import Foundation
import Testing

@testable import SyncClient

/// One story of the fixture.
struct WindowCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let window: ChannelWindow
    /// As JSON.
    let steps: [String]

    static let all: [WindowCase] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/windows.json")
        guard let data = try? Data(contentsOf: file),
            let all = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let cases = all["cases"] as? [[String: Any]]
        else { return [] }
        return cases.map { story in
            let last = story["last"] as? Int ?? 0
            let keeping = story["keeping"] as? Int
            return WindowCase(
                testDescription: story["name"] as? String ?? "",
                window: keeping.map { .last(last, keeping: $0) } ?? .last(last),
                steps: (story["steps"] as? [Any] ?? []).map(sorted))
        }
    }()
}

/// A device, its file, and a daemon of paper.
private final class WindowActor {
    private let window: ChannelWindow
    private let path: String
    private var store: any DeviceStore
    private var device = Device(user: "ada")
    private let decoder = ServerFrameDecoder(keyset: Channel.defaultKeyset)
    /// Of this connection.
    private var questions: [DeviceQuestion] = []
    /// How many of them a story knows of.
    private var known = 0

    init(_ window: ChannelWindow, at path: String) throws {
        self.window = window
        self.path = path
        store = try SQLiteDeviceStore(path: path)
        try begin()
    }

    private func begin() throws {
        device = Device(user: "ada")
        let (base, rules) = (try store.base(of: "room"), try store.rules(of: "room"))
        try take(device.follow("room", base: base, rules: rules, window: window))
    }

    private func take(_ effects: DeviceEffects) throws {
        try store.commit(effects.writes)
        questions += effects.questions
    }

    func play(_ step: [String: Any]) throws {
        if let deed = step["do"] as? String {
            try act(deed, step)
        } else if let asks = step["asks"] as? [Any] {
            let asked = questions[known...].map { sorted(command($0)) }
            #expect(asked == asks.map(sorted))
            known = questions.count
        } else if let index = step["reply"] as? Int, var frame = step["frame"] as? [String: Any] {
            try #require(index < questions.count)
            let question = questions[index]
            frame["id"] = 1
            guard case .reply(_, let reply) = try decode(frame, of: question.command) else {
                throw NotPlayed(step: sorted(step))
            }
            try take(device.received(reply, to: question.ticket))
        } else if let push = step["push"] as? [String: Any] {
            guard case .push(let batch) = try decode(push, of: .ping) else {
                throw NotPlayed(step: sorted(step))
            }
            try take(device.received(batch))
        } else if let holds = step["holds"] as? [String: Any] {
            #expect(questions.count == known, "nothing more was asked")
            #expect(sorted(held()) == sorted(holds))
        } else {
            throw NotPlayed(step: sorted(step))
        }
    }

    private func act(_ deed: String, _ step: [String: Any]) throws {
        switch deed {
        case "connect":
            (questions, known) = ([], 0)
            try take(device.connected(epoch: step["epoch"] as? String ?? ""))
        case "disconnect": device.disconnected()
        case "reload":
            store = try SQLiteDeviceStore(path: path)
            try begin()
        case "older": try take(device.loadOlder(step["last"] as? Int ?? 0, of: "room"))
        case "verify": try take(device.verify("room"))
        default: throw NotPlayed(step: sorted(step))
        }
    }

    private func command(_ question: DeviceQuestion) -> [String: Any] {
        let bytes = CommandEncoder.encode(question.command, id: 1)
        let json = try? JSONSerialization.jsonObject(with: Data(bytes))
        return (json as? [String: Any] ?? [:]).filter { $0.key != "id" }
    }

    private func decode(_ frame: [String: Any], of command: Command) throws -> ServerFrame {
        try decoder.decode(Array(sorted(frame).utf8)) { _ in command.kind }
    }

    private func held() -> [String: Any] {
        var reactions: [String: [[String]]] = [:]
        let items = device.list(of: "room")
        for item in items {
            let all = item.reactions.flatMap { reaction in
                reaction.authors.map { [reaction.value, $0] }
            }
            guard let timetoken = item.timetoken, !all.isEmpty else { continue }
            reactions["\(timetoken)"] = all.sorted { $0.joined() < $1.joined() }
        }
        let sync = device.channel("room")
        return [
            "messages": items.compactMap(\.timetoken).map { "\($0)" }, "reactions": reactions,
            "after": "\(sync?.base.rest.after ?? .zero)", "verified": sync?.isVerified ?? false,
        ]
    }
}

private struct NotPlayed: Error {
    let step: String
}

/// JSON with its names in order.
private func sorted(_ value: Any) -> String {
    let data = try? JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
}

@Suite("Windows: stories that all clients share")
struct WindowCaseTests {
    @Test("there are some")
    func some() {
        #expect(WindowCase.all.count > 10)
    }

    @Test("a story", arguments: WindowCase.all)
    func story(_ story: WindowCase) throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "windows-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let device = try WindowActor(
            story.window, at: directory.appending(path: "cache.db").path())

        for step in story.steps {
            let json = try JSONSerialization.jsonObject(with: Data(step.utf8))
            try device.play(try #require(json as? [String: Any]))
        }
    }
}
