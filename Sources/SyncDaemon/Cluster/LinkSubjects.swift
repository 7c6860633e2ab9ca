// What writes are about: rules, groups, tokens, grants, entries, devices and files.

import EventModel

extension ReactionRules: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        self.init()
        // As good as every write has these.
        guard try !reader.value(Bool.self) else { return }
        isOn = try reader.value()
        guard let mode = Mode(rawValue: try reader.value()) else { throw LinkError() }
        self.mode = mode
        values =
            switch try reader.byte() {
            case 0: .any
            case 1: .emoji
            case 2: .list(try reader.value())
            default: throw LinkError()
            }
        aliases = try reader.value()
        types = try reader.value()
        needsMessage = try reader.value()
        valuesMax = try reader.value()
        ownMax = try reader.value()
        actionsMax = try reader.value()
    }

    func write(to writer: inout LinkWriter) {
        guard self != ReactionRules() else { return writer.put(true) }
        writer.put(false)
        writer.put(isOn)
        writer.put(mode.rawValue)
        switch values {
        case .any: writer.put(byte: 0)
        case .emoji: writer.put(byte: 1)
        case .list(let values): writer.put(case: 2, values)
        }
        writer.put(aliases)
        writer.put(types)
        writer.put(needsMessage)
        writer.put(valuesMax)
        writer.put(ownMax)
        writer.put(actionsMax)
    }
}

extension ReactionRules.Alias: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let name: String = try reader.value()
        self.init(name: name, value: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(name)
        writer.put(value)
    }
}

extension ChannelGroup: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let keyset: String = try reader.value()
        self.init(try reader.value(), keyset: keyset)
    }

    func write(to writer: inout LinkWriter) {
        writer.put(keyset)
        writer.put(name)
    }
}

extension GroupChange: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = .add(try reader.value())
        case 1: self = .remove(try reader.value())
        case 2: self = .delete
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .add(let channels): writer.put(case: 0, channels)
        case .remove(let channels): writer.put(case: 1, channels)
        case .delete: writer.put(byte: 2)
        }
    }
}

extension ExactText: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        self.init(try reader.value(String.self))
    }

    func write(to writer: inout LinkWriter) { writer.put(string) }
}

extension RevokedToken: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let keyset: ExactText = try reader.value()
        guard let id = TokenID(try reader.value(String.self)) else { throw LinkError() }
        self.init(keyset: keyset, id: id, expiry: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(keyset)
        writer.put(id.text)
        writer.put(expiry)
    }
}

extension KeyGrantSubject: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let keyset: ExactText = try reader.value()
        guard let level = Level(rawValue: try reader.value()) else { throw LinkError() }
        let name: ExactText = try reader.value()
        self.init(keyset: keyset, level: level, name: name, authKey: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(keyset)
        writer.put(level.rawValue)
        writer.put(name)
        writer.put(authKey)
    }
}

extension KeyGrant: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let subject: KeyGrantSubject = try reader.value()
        let bits = try reader.byte()
        self.init(subject: subject, bits: bits, expiry: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(subject)
        writer.put(byte: bits)
        writer.put(expiry)
    }
}

extension DirectoryRequest: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        guard let directory = Directory(channelName: try reader.value()) else { throw LinkError() }
        let changes: [EntryChange] = try reader.value()
        let expected: Timetoken? = try reader.value()
        self.init(
            directory: directory, changes: changes, expected: expected,
            mutation: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(directory.channelName)
        writer.put(changes)
        writer.put(expected)
        writer.put(mutation)
    }
}

extension EntryChange: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let id: String = try reader.value()
        let fields: [EntryField]? = try reader.value()
        self.init(id: id, kind: fields.map { .set($0) } ?? .remove)
    }

    func write(to writer: inout LinkWriter) {
        writer.put(id)
        let fields: [EntryField]? = if case .set(let fields) = kind { fields } else { nil }
        writer.put(fields)
    }
}

extension EntryField: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let name: String = try reader.value()
        self.init(name: name, value: try reader.value())
    }

    func write(to writer: inout LinkWriter) {
        writer.put(name)
        writer.put(value)
    }
}

extension PushDevice: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let keyset: String = try reader.value()
        let token: String = try reader.value()
        guard let gateway = Gateway(rawValue: try reader.value()) else { throw LinkError() }
        let environment: String = try reader.value()
        self.init(
            token: token, gateway: gateway, environment: environment, topic: try reader.value(),
            keyset: keyset)
    }

    func write(to writer: inout LinkWriter) {
        writer.put(keyset)
        writer.put(token)
        writer.put(gateway.rawValue)
        writer.put(environment)
        writer.put(topic)
    }
}

extension PushChange: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = .add(try reader.value())
        case 1: self = .remove(try reader.value())
        case 2: self = .removeAll
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .add(let channels): writer.put(case: 0, channels)
        case .remove(let channels): writer.put(case: 1, channels)
        case .removeAll: writer.put(byte: 2)
        }
    }
}

extension FileID: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        guard let id = FileID(try reader.value(String.self)) else { throw LinkError() }
        self = id
    }

    func write(to writer: inout LinkWriter) { writer.put(text) }
}

extension FileChange: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = .add(try reader.value())
        case 1: self = .remove(try reader.value(), name: try reader.value())
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) {
        switch self {
        case .add(let file): writer.put(case: 0, file)
        case .remove(let id, let name):
            writer.put(case: 1, id)
            writer.put(name)
        }
    }
}

extension StoredFile: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        channel = try reader.value()
        id = try reader.value()
        name = try reader.value()
        size = try reader.value()
        userID = try reader.value()
        created = try reader.value()
    }

    func write(to writer: inout LinkWriter) {
        writer.put(channel)
        writer.put(id)
        writer.put(name)
        writer.put(size)
        writer.put(userID)
        writer.put(created)
    }
}
