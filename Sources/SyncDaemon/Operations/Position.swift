// Where the order of events stands now.

import EventModel

extension Operations {
    /// A cursor as of now: every later event is after it.
    ///
    /// It may take a commit.
    static func position(for caller: some Caller) -> OperationOutcome {
        switch caller.engine.freshCursor(for: caller.origin) {
        case .at(let timetoken): .done(.pong(timetoken))
        case .waits: .later
        case .refused: .refused(.overloaded)
        }
    }
}
