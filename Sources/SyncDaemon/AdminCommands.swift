// What a tool may ask of a running daemon: the operators' table, as it is shown beside `Program`.

import EventModel

/// One thing that can be asked at the operators' socket.
public struct AdminCommand: Sendable {
    /// A member of the query, or of the JSON body where something is changed.
    public struct Field: Sendable {
        public let name: String
        /// What stands for its value in a help text; `nil`: the name alone says it.
        public let placeholder: String?
        public let summary: String
        public let isRequired: Bool
        /// Whether it is better not shown to other users of the machine.
        public let isSecret: Bool
    }

    /// Such as `sessions`, `kick`.
    public let words: [String]
    /// With a slash before it.
    public let path: String
    /// Whether it is a POST.
    public let isChange: Bool
    /// Whether its answer may take long: then the daemon is alive who still answers others.
    public let takesLong: Bool
    public let summary: String
    public let fields: [Field]
}

extension Program {
    /// Seconds in which a daemon that is well answers an operator.
    public static let adminPatienceSeconds = Limits.adminPatienceSeconds

    /// All of them, in the order in which help shows them.
    public static let adminCommands: [AdminCommand] = AdminOperation.all.map { operation in
        AdminCommand(
            words: operation.name.split(separator: " ").map(String.init),
            path: "/" + operation.path, isChange: operation.isChange,
            takesLong: operation.takesLong, summary: operation.summary,
            fields: operation.fields.map {
                AdminCommand.Field(
                    name: $0.name, placeholder: $0.placeholder, summary: $0.summary,
                    isRequired: $0.isRequired, isSecret: $0.isSecret)
            })
    }

    /// Where a daemon listens for operators that nobody told where.
    ///
    /// - Parameter directory: Its data; `nil`: the unit's socket if there is one, else that of the
    ///   data where a daemon of this user has it.
    public static func adminSocket(in directory: String?) -> String {
        if let directory { return directory + "/admin.sock" }
        let ofUnit = "/run/syncdaemon/admin.sock"
        guard !FileSystem.exists(ofUnit),
            let own = Configuration.defaultDirectory(ProcessEnvironment.all()),
            FileSystem.exists(own + "/admin.sock")
        else { return ofUnit }
        return own + "/admin.sock"
    }
}
