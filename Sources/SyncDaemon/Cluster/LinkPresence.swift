// Questions of presence and what it says, on the link.

import EventModel

extension PresenceRequest: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let member: Presence.Member = try reader.value()
        let operation: Operation = try reader.value()
        let origin: Origin? = try reader.value()
        self.init(
            member: member, operation: operation, origin: origin, source: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(member)
        writer.put(operation)
        writer.put(origin)
        writer.put(source)
    }
}

extension Presence.Member: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let userID: String = try reader.value()
        self.init(userID: userID, keyset: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(userID)
        writer.put(keyset)
    }
}

extension PresenceSource: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let reactor: Int = try reader.value()
        guard (0..<ReactorSet.countMax).contains(reactor) else { throw LinkError() }
        self.init(reactor: reactor, connection: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(reactor)
        writer.put(connection)
    }
}

extension PresencePromise: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let member: Presence.Member = try reader.value()
        let channel: String = try reader.value()
        let state: String? = try reader.value()
        let rest: UInt64 = try reader.value()
        let promised: UInt64 = try reader.value()
        self.init(
            member: member, channel: channel, state: state, rest: rest, promised: promised,
            isTimed: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(member)
        writer.put(channel)
        writer.put(state)
        writer.put(rest)
        writer.put(promised)
        writer.put(isTimed)
    }
}

extension PresenceRequest.Operation: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0:
            let channels: [[String]] = try reader.value()
            let seconds: Int? = try reader.value()
            let isPoll: Bool = try reader.value()
            self = .beat(
                channels: channels, seconds: seconds, isPoll: isPoll, states: try reader.states())
        case 1: self = .leave(channels: try reader.value())
        case 2: self = .enter(channels: try reader.value(), states: try reader.states())
        case 3: self = .exit(channels: try reader.value(), isCut: try reader.value())
        case 4: self = .setState(channels: try reader.value(), state: try reader.value())
        case 5: self = .state(channels: try reader.value())
        case 6: self = .occupancy(channels: try reader.value(), try reader.value())
        case 7: self = .survey(try reader.value())
        case 8: self = .channels
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .beat(let channels, let seconds, let isPoll, let states):
            writer.put(case: 0, channels)
            writer.put(seconds)
            writer.put(isPoll)
            writer.put(states: states)
        case .leave(let channels): writer.put(case: 1, channels)
        case .enter(let channels, let states):
            writer.put(case: 2, channels)
            writer.put(states: states)
        case .exit(let channels, let isCut):
            writer.put(case: 3, channels)
            writer.put(isCut)
        case .setState(let channels, let state):
            writer.put(case: 4, channels)
            writer.put(state)
        case .state(let channels): writer.put(case: 5, channels)
        case .occupancy(let channels, let page):
            writer.put(case: 6, channels)
            writer.put(page)
        case .survey(let page): writer.put(case: 7, page)
        case .channels: writer.put(byte: 8)
        }
    }
}

extension Presence.Page: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let includesUsers: Bool = try reader.value()
        let includesState: Bool = try reader.value()
        let limit: Int = try reader.value()
        let offset: Int = try reader.value()
        // What is asked for decides how long an answer is.
        guard (0...Limits.presencePageMax).contains(limit), offset >= 0 else { throw LinkError() }
        self.init(
            includesUsers: includesUsers, includesState: includesState, limit: limit,
            offset: offset)
    }

    func write(to writer: inout LinkWriter) {
        writer.put(includesUsers)
        writer.put(includesState)
        writer.put(limit)
        writer.put(offset)
    }
}

extension PresenceReply: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = .done
        case 1: self = .refused(try reader.value())
        case 2:
            var states: [(channel: String, state: String?)] = []
            for _ in 0..<(try reader.length()) {
                let channel: String = try reader.value()
                states.append((channel, try reader.value()))
            }
            self = .states(states)
        case 3: self = .occupancy(try reader.value())
        case 4:
            let channels: [Occupancy] = try reader.value()
            let channelCount: Int = try reader.value()
            self = .survey(
                Presence.Survey(
                    channels: channels, channelCount: channelCount, occupancy: try reader.value()))
        case 5: self = .channels(try reader.value())
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .done: writer.put(byte: 0)
        case .refused(let refusal): writer.put(case: 1, refusal)
        case .states(let states):
            writer.put(byte: 2)
            writer.put(UInt64(states.count))
            for (channel, state) in states {
                writer.put(channel)
                writer.put(state)
            }
        case .occupancy(let found): writer.put(case: 3, found)
        case .survey(let survey):
            writer.put(case: 4, survey.channels)
            writer.put(survey.channelCount)
            writer.put(survey.occupancy)
        case .channels(let names): writer.put(case: 5, names)
        }
    }
}

extension Presence.Refusal: LinkCodable {
    private static let all: [Self] = [
        .tooManyMemberships, .quotaExceeded, .tooManyChannels, .stateTooLong, .tooMuchState,
        .tooManyAnnouncements,
    ]

    init(from reader: inout LinkReader) throws(LinkError) {
        let number = Int(try reader.byte())
        guard Self.all.indices.contains(number) else { throw LinkError() }
        self = Self.all[number]
    }

    func write(to writer: inout LinkWriter) {
        guard let number = Self.all.firstIndex(of: self) else {
            preconditionFailure("A refusal of presence has no number on the link.")
        }
        writer.put(byte: UInt8(number))
    }
}

extension Occupancy: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let channel: String = try reader.value()
        let count: Int = try reader.value()
        self.init(channel: channel, count: count, users: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(channel)
        writer.put(count)
        writer.put(users)
    }
}

extension Occupant: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let userID: String = try reader.value()
        self.init(userID: userID, state: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(userID)
        writer.put(state)
    }
}

extension LinkReader {
    fileprivate mutating func states() throws(LinkError) -> [ExactText: String] {
        var states: [ExactText: String] = [:]
        for _ in 0..<(try length()) {
            let channel: ExactText = try value()
            states[channel] = try value(String.self)
        }
        return states
    }
}

extension LinkWriter {
    fileprivate mutating func put(states: [ExactText: String]) {
        put(UInt64(states.count))
        for (channel, state) in states {
            put(channel)
            put(state)
        }
    }
}
