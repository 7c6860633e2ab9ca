// Entries of directories in memory: every message is looked at.

import EventModel

extension MemoryStore {
    func entry(_ id: ExactText, in directory: Channel) -> DirectoryEntry? {
        working.entries(in: directory).first { ExactText($0.id) == id }
    }

    func entries(in directory: Channel, limit: Int) -> [DirectoryEntry] {
        Array(working.entries(in: directory).prefix(limit))
    }
}

extension MemoryReader {
    func entry(_ id: ExactText, in directory: Channel) -> DirectoryEntry? {
        committedState.entries(in: directory).first { ExactText($0.id) == id }
    }

    func readOn(_ scan: inout EntryScan, in directory: Channel, while mayGoOn: () -> Bool) {
        let state = committedState
        let after = ExactText(scan.position)
        for entry in state.entries(in: directory)
        where scan.only.map({ $0 == ExactText(entry.id) }) ?? (after < ExactText(entry.id)) {
            guard !scan.isOver else { return }
            let subject = scan.subject(of: entry).flatMap { subject in
                state.entries(in: subject.directory).first { ExactText($0.id) == subject.id }
            }
            scan.look(at: entry, subject)
        }
        scan.end()
    }
}

extension MemoryStore.State {
    /// In the order of their ids.
    fileprivate func entries(in directory: Channel) -> [DirectoryEntry] {
        messages[directory, default: []].compactMap(DirectoryEntry.init).sorted {
            ExactText($0.id) < ExactText($1.id)
        }
    }
}
