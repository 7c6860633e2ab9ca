// What one setting is: its names, how its value is written, and what it means.

/// A row of the table that drives the file, the flags, the variables, the help and the manual.
struct ConfigurationKey: Sendable {
    /// The field that a setting fills.
    typealias Field<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    /// Reads a value's text into the configuration; false when it cannot be read.
    typealias Read = @Sendable (String, inout Configuration) -> Bool

    let section: String
    let name: String
    /// Such as `--data-dir`.
    let flag: String
    /// What stands for the value in a help text, or nil when the flag alone means yes.
    let placeholder: String?
    /// Ends the sentence "Write …".
    let expected: String
    /// A sentence or two; says the unit.
    let summary: String
    /// Whether it may be given several times in the file, one element each.
    let isList: Bool
    let read: Read
    /// The value as it would be written in the file.
    let write: @Sendable (Configuration) -> String

    /// Such as `server.listen`.
    var path: String { "\(section).\(name)" }
    /// Such as `[server] listen`.
    var title: String { "[\(section)] \(name)" }
    /// Such as `SYNCDAEMON_SERVER_LISTEN`.
    var variable: String { "SYNCDAEMON_\(section)_\(name)".uppercased() }
    /// The default, for people.
    var standard: String {
        if path == "store.directory" { return Configuration.defaultDirectoryText }
        return write(Configuration())
    }
}

// MARK: - One maker per type of value

extension ConfigurationKey {
    /// A whole number, with `K`, `M` and `G` for bytes.
    static func number(
        _ section: String, _ name: String, flag: String, _ range: ClosedRange<Int>,
        bytes: Bool = false, into path: Field<Int>,
        _ summary: String
    ) -> ConfigurationKey {
        let unit = bytes ? " bytes (K, M and G stand for KiB, MiB and GiB)" : ""
        return ConfigurationKey(
            section: section, name: name, flag: flag, placeholder: bytes ? "BYTES" : "N",
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)\(unit)",
            summary: summary, isList: false,
            read: { text, configuration in
                guard let number = ConfigurationText.wholeNumber(text, bytes: bytes),
                    range.contains(number)
                else { return false }
                configuration[keyPath: path] = number
                return true
            },
            write: { String($0[keyPath: path]) })
    }

    static func yesOrNo(
        _ section: String, _ name: String, flag: String,
        into path: Field<Bool>, _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            section: section, name: name, flag: flag, placeholder: nil, expected: "yes or no",
            summary: summary, isList: false,
            read: { text, configuration in
                guard let flag = ConfigurationText.flag(text) else { return false }
                configuration[keyPath: path] = flag
                return true
            },
            write: { $0[keyPath: path] ? "yes" : "no" })
    }

    static func choice<Value>(
        _ section: String, _ name: String, flag: String,
        into path: Field<Value>, _ summary: String
    ) -> ConfigurationKey
    where Value: RawRepresentable<String> & CaseIterable & Sendable {
        let words = Value.allCases.map(\.rawValue)
        return ConfigurationKey(
            section: section, name: name, flag: flag, placeholder: words.joined(separator: "|"),
            expected: words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")",
            summary: summary, isList: false,
            read: { text, configuration in
                guard let value = Value(rawValue: text) else { return false }
                configuration[keyPath: path] = value
                return true
            },
            write: { $0[keyPath: path].rawValue })
    }

    static func address(
        _ section: String, _ name: String, flag: String,
        into path: Field<ListenAddress>, _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            section: section, name: name, flag: flag, placeholder: "HOST:PORT",
            expected: "a numeric address and a port, such as 127.0.0.1:8080 or [::1]:8080",
            summary: summary, isList: false,
            read: { text, configuration in
                guard let address = ListenAddress(text) else { return false }
                configuration[keyPath: path] = address
                return true
            },
            write: { $0[keyPath: path].description })
    }

    static func directory(
        _ section: String, _ name: String, flag: String,
        into path: Field<String>, _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            section: section, name: name, flag: flag, placeholder: "DIR",
            expected: "the path of a directory, written out (~ has no meaning here)",
            summary: summary, isList: false,
            read: { text, configuration in
                let isOneLine = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
                guard isOneLine, !text.isEmpty, !text.hasPrefix("~") else { return false }
                configuration[keyPath: path] = text
                return true
            },
            write: { $0[keyPath: path] })
    }

    /// Web origins (RFC 6454), separated by commas; a further one in the file adds to them.
    static func origins(
        _ section: String, _ name: String, flag: String,
        into path: Field<[String]>, _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            section: section, name: name, flag: flag, placeholder: "ORIGIN,...",
            expected: "origins separated by commas, each SCHEME://HOST or SCHEME://HOST:PORT"
                + " without a path, such as https://app.example.com",
            summary: summary, isList: true,
            read: { text, configuration in
                let words = text.split(separator: ",").map { trimmed($0).lowercased() }
                    .filter { !$0.isEmpty }
                guard words.allSatisfy(isOrigin) else { return false }
                configuration[keyPath: path] = words
                return true
            },
            write: { $0[keyPath: path].joined(separator: ", ") })
    }
}

// MARK: - Reading values

/// Values as people write them.
enum ConfigurationText {
    /// Digits, with a factor behind them when they count bytes; nil when it is anything else.
    static func wholeNumber(_ text: String, bytes: Bool = false) -> Int? {
        let factors = ["K", "M", "G"]
        var digits = Substring(text)
        var factor = 1
        if bytes, let last = text.last, let power = factors.firstIndex(of: last.uppercased()) {
            digits.removeLast()
            factor = 1 << (10 * (power + 1))
        }
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits) else {
            return nil
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    /// Yes or no, in any of the usual words; nil when it is anything else.
    static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }
}

private func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return start[...end]
}

/// `scheme://host` or `scheme://host:port`, in visible ASCII, without user, path or wildcard.
private func isOrigin(_ text: String) -> Bool {
    guard let separator = text.firstRange(of: "://"), separator.lowerBound > text.startIndex,
        text[..<separator.lowerBound].allSatisfy({
            $0.isASCII && ($0.isLetter || "+-.".contains($0))
        })
    else { return false }
    let authority = text[separator.upperBound...]
    return !authority.isEmpty
        && authority.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        && !authority.contains(where: { "/\\@?#*,\"<>".contains($0) })
}
