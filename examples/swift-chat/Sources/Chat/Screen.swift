// The model as lines of text: each is written when it is new, and again when it changes.

import Observation
import SyncClient
import SyncModels

@MainActor
final class Screen {
    private let model: ChannelModel<Note>
    private let people: PeopleModel
    private var shown: Set<String> = []

    init(_ model: ChannelModel<Note>, _ people: PeopleModel) {
        self.model = model
        self.people = people
    }

    /// Writes what changed, now and whenever something that it looked at changes.
    func draw() {
        let lines = withObservationTracking {
            self.lines
        } onChange: {
            Task { @MainActor [weak self] in self?.draw() }
        }
        for line in lines where !shown.contains(line) { Terminal.write(line) }
        shown = Set(lines)
    }

    private var lines: [String] {
        var lines = model.items.map { line(of: $0) }
        lines += model.typing.map { "\(people[$0].name) is typing" }
        if !model.present.isEmpty {
            lines.append("here: " + model.present.map { people[$0].name }.joined(separator: ", "))
        }
        if let problem = model.problem { lines.append("! \(problem.message) (\(problem.code))") }
        return lines
    }

    private func line(of item: ChannelItem<Note>) -> String {
        let text = item.payload?.text ?? item.raw
        let bubbles = item.bubbles.map { "  \($0.value) \($0.countText)\($0.isOwn ? "*" : "")" }
        let mark = item.isPending ? " …" : item.isEdited ? " (edited)" : ""
        return "\(people[item.author].name): \(text)\(mark)\(bubbles.joined())"
    }

    /// Does what a line says.
    func obey(_ line: String) async throws(SyncClientError) {
        let (word, rest) = line.splitAtBlank
        switch (word, model.items.last) {
        case ("/react", let item?): try await model.toggle(rest, on: item)
        case ("/edit", let item?): try await model.edit(item, to: Note(text: rest))
        case ("/delete", let item?): try await model.delete(item)
        case ("/older", _): try await model.loadOlder()
        case ("", _): model.typed()
        default: try await model.send(Note(text: line))
        }
    }
}

extension String {
    /// The first word, and what is behind the blank after it.
    fileprivate var splitAtBlank: (String, String) {
        let parts = split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : "")
    }
}
