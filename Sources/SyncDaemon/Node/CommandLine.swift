// What the arguments ask the program to do.

import EventModel

/// A flag that names a setting, with its value.
struct FlagSetting<Root>: Sendable {
    let key: SettingKey<Root>
    let value: String
}

/// What stands behind `serve`, `config check` or `config print`.
struct ServeArguments: Sendable {
    /// Path behind `--config`; a leading `-` means that it may be absent.
    var file: String?
    var settings: [FlagSetting<Configuration>] = []
    /// Behind `config check`: whether to ask if strangers may connect.
    var isPublic = false
    /// Likewise: whether to ask the database server, too.
    var asksServer = false
}

/// What stands behind `backup`, `salvage`, `restore` or `verify`.
struct CopyArguments: Sendable {
    /// The backup, or an archive.
    let file: String
    /// They say where the data is.
    var serve: ServeArguments
    /// Of an archive; `nil`: the newest moment.
    var moment: Timetoken?
}

/// One way to call the program.
enum Invocation: Sendable {
    case serve(ServeArguments)
    case checkConfiguration(ServeArguments)
    case printConfiguration(ServeArguments)
    case backUp(CopyArguments)
    case salvage(CopyArguments)
    case restore(CopyArguments)
    case verify(CopyArguments)
    case copyStore(StoreCopyArguments)
    case plan(PlannedUse, asJSON: Bool)
    case showVersion
    /// The text to show on standard output.
    case showHelp(String)

    /// Reads the arguments behind the program's name.
    static func parse(_ arguments: [String]) throws(ConfigurationError) -> Invocation {
        guard let first = arguments.first else { throw .missingCommand }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "serve":
            if isHelpWanted(rest) { return .showHelp(HelpText.serve) }
            return .serve(try serveArguments(rest, of: first))
        case "config":
            return try configuration(rest)
        case "backup":
            if isHelpWanted(rest) { return .showHelp(HelpText.backup) }
            return .backUp(try copyArguments(rest, of: first))
        case "salvage":
            if isHelpWanted(rest) { return .showHelp(HelpText.salvage) }
            return .salvage(try copyArguments(rest, of: first))
        case "restore":
            if isHelpWanted(rest) { return .showHelp(HelpText.restore) }
            return .restore(try copyArguments(rest, of: first, takesMoment: true))
        case "verify":
            if isHelpWanted(rest) { return .showHelp(HelpText.verify) }
            return .verify(try copyArguments(rest, of: first))
        case "store":
            if isHelpWanted(rest) { return .showHelp(HelpText.storeCopy) }
            return .copyStore(try StoreCopyArguments(rest))
        case "plan":
            if isHelpWanted(rest) { return .showHelp(HelpText.plan) }
            return try plan(rest, of: first)
        case "--version", "-V", "version":
            return .showVersion
        case "--help", "-h", "help":
            return .showHelp(HelpText.main)
        default:
            if first.hasPrefix("-") {
                // A flag before the command: say which command it belongs to.
                let name = String(first.prefix { $0 != "=" })
                let isServe =
                    name == "--config" || Configuration.keys.contains { $0.flag == name }
                throw .unknownFlag(
                    first, of: nil,
                    nearest: isServe
                        ? "syncdaemon serve \(name)"
                        : Spelling.nearest(to: first, among: ["--help", "--version"]))
            }
            throw .unknownCommand(
                first,
                nearest: Spelling.nearest(
                    to: first,
                    among: [
                        "serve", "config", "backup", "salvage", "restore", "verify", "store",
                        "plan", "version", "help",
                    ]))
        }
    }

    private static func configuration(
        _ arguments: [String]
    ) throws(ConfigurationError) -> Invocation {
        if isHelpWanted(arguments) { return .showHelp(HelpText.configuration) }
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "check":
            return .checkConfiguration(
                try serveArguments(rest, of: "config check", isCheck: true))
        case "print": return .printConfiguration(try serveArguments(rest, of: "config print"))
        case let word:
            throw .unknownCommand(
                "config" + (word.map { " " + $0 } ?? ""),
                nearest: Spelling.nearest(to: word ?? "", among: ["check", "print"])
                    .map { "config \($0)" } ?? "config check or config print")
        }
    }

    private static let (publicFlag, serverFlag) = ("--public", "--connect")

    /// - Returns: Whether it is a flag of `config check` alone.
    private static func take(
        _ flag: String, into result: inout ServeArguments
    ) throws(ConfigurationError) -> Bool {
        let isThere: Bool
        switch flag {
        case publicFlag: (isThere, result.isPublic) = (result.isPublic, true)
        case serverFlag: (isThere, result.asksServer) = (result.asksServer, true)
        default: return false
        }
        guard !isThere else { throw .repeated(.flag(flag), key: "the flag") }
        return true
    }

    private static func isHelpWanted(_ arguments: [String]) -> Bool {
        arguments.contains("--help") || arguments.contains("-h")
    }

    /// One file and the flags of `serve`, in any order.
    private static func copyArguments(
        _ arguments: [String], of command: String, takesMoment: Bool = false
    ) throws(ConfigurationError) -> CopyArguments {
        var words: [String] = []
        var arguments = arguments
        let moment = takesMoment ? try takeMoment(from: &arguments) : nil
        let serve = try serveArguments(arguments, of: command) { words.append($0) }
        guard let file = words.first, !file.isEmpty else { throw .missingFile(command: command) }
        if words.count > 1 { throw .unexpectedArgument(words[1], of: command) }
        return CopyArguments(file: file, serve: serve, moment: moment)
    }

    private static let momentFlag = "--at"

    /// Takes `--at TIME` out of the arguments.
    private static func takeMoment(
        from arguments: inout [String]
    ) throws(ConfigurationError) -> Timetoken? {
        var (others, found): ([String], Timetoken?) = ([], nil)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let name = String(argument.prefix { $0 != "=" })
            guard name == momentFlag else {
                others.append(argument)
                continue
            }
            guard found == nil else { throw .repeated(.flag(name), key: "the flag") }
            let inline =
                name.count < argument.count ? String(argument.dropFirst(name.count + 1)) : nil
            let expected = "a moment such as 2026-11-30T09:30:00Z, or a timetoken"
            let text = try value(of: name, inline, &rest, expected: expected)
            let ticks = text.utf8.count == 17 ? UInt64(text) : nil
            guard let moment = ticks.map({ Timetoken(rawValue: $0) }) ?? Timetoken(date: text)
            else {
                throw .badValue(.flag(name), key: "the moment", value: text, expected: expected)
            }
            found = moment
        }
        arguments = others
        return found
    }

    /// - Parameters:
    ///   - isCheck: Whether the flags of `config check` are flags there.
    ///   - other: Takes what is no flag; without it that is a mistake.
    private static func serveArguments(
        _ arguments: [String], of command: String, isCheck: Bool = false,
        other: ((String) -> Void)? = nil
    ) throws(ConfigurationError) -> ServeArguments {
        var result = ServeArguments()
        let others = ["--config"] + (isCheck ? [publicFlag, serverFlag] : [])
        result.settings = try flags(
            arguments, of: command, keys: Configuration.keys, besides: others
        ) { (argument, inline, rest) throws(ConfigurationError) in
            if let other, !argument.hasPrefix("-") {
                other(argument)
                return true
            }
            if isCheck, inline == nil, try take(argument, into: &result) { return true }
            guard argument == "--config" else { return false }
            guard result.file == nil else { throw .repeated(.flag(argument), key: "the flag") }
            result.file = try value(of: argument, inline, &rest, expected: "the path of a file")
            return true
        }
        return result
    }

    private static let jsonFlag = "--json"

    private static func plan(
        _ arguments: [String], of command: String
    ) throws(ConfigurationError) -> Invocation {
        var (use, asJSON) = (PlannedUse(), false)
        let settings = try flags(
            arguments, of: command, keys: PlannedUse.keys, besides: [jsonFlag]
        ) { (argument, inline, _) throws(ConfigurationError) in
            guard argument == jsonFlag, inline == nil else { return false }
            guard !asJSON else { throw .repeated(.flag(argument), key: "the flag") }
            asJSON = true
            return true
        }
        for setting in settings where !setting.key.read(setting.value, &use) {
            throw setting.key.cannotBe(setting.value, at: .flag(setting.key.flag))
        }
        return .plan(use, asJSON: asJSON)
    }

    /// Flags as `--name value` or `--name=value`; a yes-or-no flag stands alone or takes `=no`.
    ///
    /// - Parameters:
    ///   - others: Flags that `other` takes.
    ///   - other: Whether it took an argument, whose value may stand behind a `=`, or be the next.
    private static func flags<Root>(
        _ arguments: [String], of command: String, keys: [SettingKey<Root>],
        besides others: [String],
        other: (_ name: String, _ inline: String?, _ rest: inout ArraySlice<String>)
            throws(ConfigurationError) -> Bool
    ) throws(ConfigurationError) -> [FlagSetting<Root>] {
        var settings: [FlagSetting<Root>] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let isFlag = argument.hasPrefix("--") && argument.count > 2
            let name = isFlag ? String(argument.prefix { $0 != "=" }) : argument
            let inline =
                name.count < argument.count ? String(argument.dropFirst(name.count + 1)) : nil
            if try other(name, inline, &rest) { continue }
            guard isFlag else { throw .unexpectedArgument(argument, of: command) }
            guard let key = keys.first(where: { $0.flag == name }) else {
                let known = keys.map(\.flag) + others + ["--help"]
                throw .unknownFlag(
                    name, of: command, nearest: Spelling.nearest(to: name, among: known))
            }
            guard !settings.contains(where: { $0.key.flag == name }) else {
                throw .repeated(.flag(name), key: "the flag")
            }
            let text =
                key.placeholder == nil
                ? inline ?? "yes" : try value(of: name, inline, &rest, expected: key.expected)
            settings.append(FlagSetting(key: key, value: text))
        }
        return settings
    }

    private static func value(
        of flag: String, _ inline: String?, _ rest: inout ArraySlice<String>, expected: String
    ) throws(ConfigurationError) -> String {
        if let inline { return inline }
        guard let next = rest.first, !next.hasPrefix("--") else {
            throw .missingValue(flag: flag, expected: expected)
        }
        rest.removeFirst()
        return next
    }
}
