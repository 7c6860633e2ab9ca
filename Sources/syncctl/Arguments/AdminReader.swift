// What `admin` makes of its words and options: they are those of the daemon's own table.

import SyncDaemon

/// One request to the operators' socket.
struct AdminWork: Hashable {
    var place = AdminPlace()
    /// Such as `sessions kick`.
    var name: String
    var path: String
    /// Whether something is changed.
    var isChange: Bool
    /// Whether its answer may take long.
    var takesLong = false
    /// Fields of the request, in the table's order.
    var fields: [AdminField]
}

/// A field of it with its value.
struct AdminField: Hashable {
    let name: String
    /// `nil`: a flag, which is set.
    var value: String?
    /// Whether it need not stand where other users see it.
    var isSecret = false
}

extension JobReader {
    var adminPlace: AdminPlace {
        AdminPlace(socket: tokens.values["--socket"], directory: tokens.values["--data-dir"])
    }

    func administering() throws(UsageError) -> AdminWork {
        let commands = Program.adminCommands.sorted { $0.words.count > $1.words.count }
        guard let command = commands.first(where: { words.starts(with: $0.words) }) else {
            let names = Program.adminCommands.map { $0.words.joined(separator: " ") }
            throw UsageError(
                message: "Say what to do: \(names.joined(separator: ", ")).")
        }
        let name = command.words.joined(separator: " ")
        var rest = words.dropFirst(command.words.count)
        var fields: [AdminField] = []
        for field in command.fields {
            let option = field.option
            if field.placeholder == nil {
                if tokens.flags.contains(option) { fields.append(AdminField(name: field.name)) }
            } else if let value = tokens.values[option] {
                fields.append(
                    AdminField(name: field.name, value: value, isSecret: field.isSecret))
            } else if field.isRequired {
                guard let value = rest.popFirst() else {
                    throw UsageError(message: "\(name) needs \(option) \(field.placeholder ?? "").")
                }
                fields.append(
                    AdminField(name: field.name, value: value, isSecret: field.isSecret))
            }
        }
        if let word = rest.first {
            throw UsageError(message: "\(name) takes no \"\(word)\".")
        }
        let known = Set(command.fields.map(\.option))
        for option in AdminCommand.options where !known.contains(option) {
            guard tokens.flags.contains(option) || tokens.values[option] != nil else { continue }
            throw UsageError(message: "\(name) has no option \(option).")
        }
        return AdminWork(
            place: adminPlace, name: name, path: command.path, isChange: command.isChange,
            takesLong: command.takesLong,
            fields: fields)
    }
}

extension AdminCommand {
    /// Every option of some command.
    static var options: Set<String> {
        Set(Program.adminCommands.flatMap(\.fields).map(\.option))
    }

    static var valuedOptions: Set<String> {
        Set(
            Program.adminCommands.flatMap(\.fields).filter { $0.placeholder != nil }
                .map(\.option))
    }
}

extension AdminCommand.Field {
    /// `--auth-key` of `authKey`.
    var option: String {
        "--"
            + name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
    }
}
