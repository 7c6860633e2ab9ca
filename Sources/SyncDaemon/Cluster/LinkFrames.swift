// What daemons say to each other, as frames.

import EventModel

extension Origin {
    /// Of a question on a link.
    init(number: CommandID) {
        self.init(reactor: 0, session: SessionID(slot: 0, generation: 0), command: number)
    }

    /// The same without what it means at one end only.
    var number: Origin { Origin(number: command) }
}

/// What a daemon that follows asks of the one that orders.
///
/// An origin's command is the asker's number of the question; the rest of it means nothing there.
enum LinkRequest: LinkCodable {
    case write(Write)
    /// As ``LedgerDoor/Request/recall(_:told:)`` has it.
    case recall(Write)
    case announcement(Announcement)
    case position(Origin)
    case presence(PresenceRequest)
    /// Nothing: that it is there.
    case alive
    /// An answer, behind all that anybody was told before.
    case mark(Origin)
    /// Where this daemon's clients were under the one that ordered before.
    case promises([PresencePromise])
    /// What tenants have of this daemon, where that has changed.
    case use([TenantUse])

    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = .write(try reader.value())
        case 1: self = .recall(try reader.value())
        case 2: self = .announcement(try reader.value())
        case 3: self = .position(try reader.value())
        case 4: self = .presence(try reader.value())
        case 5: self = .alive
        case 6: self = .mark(try reader.value())
        case 7: self = .promises(try reader.value())
        case 8: self = .use(try reader.value())
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .write(let write): writer.put(case: 0, write)
        case .recall(let write): writer.put(case: 1, write)
        case .announcement(let announcement): writer.put(case: 2, announcement)
        case .position(let origin): writer.put(case: 3, origin)
        case .presence(let request): writer.put(case: 4, request)
        case .alive: writer.put(byte: 5)
        case .mark(let origin): writer.put(case: 6, origin)
        case .promises(let promises): writer.put(case: 7, promises)
        case .use(let uses): writer.put(case: 8, uses)
        }
    }
}

/// What the daemon that orders says to one that follows.
enum LinkNews: LinkCodable {
    /// A step, the same for all.
    case step(Commit)
    /// What the next step answers of this daemon's questions.
    case answers([Answer])
    /// The answer to a `recall`; `nil`: it was never carried out.
    case recalled(Origin, Answer?)
    case presence(Origin, PresenceReply)
    /// Nothing: that it is there.
    case alive
    /// What that daemon may give tenants, where that has changed.
    case shares([TenantShare])

    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = .step(try reader.value())
        case 1: self = .answers(try reader.value())
        case 2: self = .recalled(try reader.value(), try reader.value())
        case 3: self = .presence(try reader.value(), try reader.value())
        case 4: self = .alive
        case 5: self = .shares(try reader.value())
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .step(let step): writer.put(case: 0, step)
        case .answers(let answers): writer.put(case: 1, answers)
        case .recalled(let origin, let answer):
            writer.put(case: 2, origin)
            writer.put(answer)
        case .presence(let origin, let reply):
            writer.put(case: 3, origin)
            writer.put(reply)
        case .alive: writer.put(byte: 4)
        case .shares(let shares): writer.put(case: 5, shares)
        }
    }
}
