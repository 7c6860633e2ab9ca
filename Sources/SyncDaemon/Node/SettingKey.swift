// What one setting is: its names, how its value is written, and what it means.

import Basis

/// A row of a table that drives the file, the flags, the variables, the help and the manual.
///
/// The root is what the rows of a table fill: the configuration, or what a section of the file
/// that has a name describes.
struct SettingKey<Root>: Sendable {
    /// The field that a setting fills.
    typealias Field<Value> = any WritableKeyPath<Root, Value> & Sendable

    /// Empty where each section has a name of its own; those settings stand in the file only.
    var section = ""
    let name: String
    /// Such as `--data-dir`.
    var flag: String
    /// What stands for the value in a help text, or nil when the flag alone means yes.
    let placeholder: String?
    /// Ends the sentence "Write …".
    let expected: String
    /// A sentence or two; says the unit.
    let summary: String
    /// Whether it may be given several times in the file, one element each.
    var isList = false
    /// Elements of a list; with more the daemon does not start.
    var elementsMax = Int.max
    /// Whether people must not see the value.
    var isSecret = false
    /// Whether SIGHUP changes it while the daemon runs.
    var isReloaded = false
    /// Whether somebody else says it, where it is not set.
    var isInherited = false
    /// What a sample has, when there is no default.
    var example: String?
    /// Reads a value's text into the root; false when it cannot be read.
    let read: @Sendable (String, inout Root) -> Bool
    /// The value as it would be written in the file; nil when it is not set.
    let write: @Sendable (Root) -> String?
    /// Gives the second root the value of the first, which costs no reading.
    let copy: @Sendable (Root, inout Root) -> Void

    /// What stands for a secret where people see it.
    static var hiddenSecret: String { "***" }

    /// What to say of a text that is no such value.
    ///
    /// Where a file is asked for, people write the secret that should be in it.
    func cannotBe(
        _ text: String, at source: ConfigurationSource, as key: String? = nil
    ) -> ConfigurationError {
        .badValue(
            source, key: key ?? name,
            value: isSecret || name.hasSuffix("_file") ? Self.hiddenSecret : text,
            expected: expected)
    }

    /// The same row but for one thing.
    func with<Value>(_ path: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var copy = self
        copy[keyPath: path] = value
        return copy
    }
}

// MARK: - One maker per type of value

extension SettingKey {
    /// What can be read by one function and written by another.
    static func value<Value>(
        _ name: String, into path: Field<Value>, placeholder: String? = nil, expected: String,
        _ summary: String, parse: @escaping @Sendable (String) -> Value?,
        format: @escaping @Sendable (Value) -> String?
    ) -> SettingKey {
        SettingKey(
            name: name, flag: "--" + name.replacing("_", with: "-"), placeholder: placeholder,
            expected: expected, summary: summary,
            read: { text, root in
                guard let value = parse(text) else { return false }
                root[keyPath: path] = value
                return true
            },
            write: { format($0[keyPath: path]) },
            copy: { $1[keyPath: path] = $0[keyPath: path] })
    }

    /// What may be absent.
    static func optional<Value>(
        _ name: String, into path: Field<Value?>, expected: String, _ summary: String,
        parse: @escaping @Sendable (String) -> Value?,
        format: @escaping @Sendable (Value) -> String
    ) -> SettingKey {
        value(
            name, into: path, expected: expected, summary,
            parse: { text in parse(text).map { .some($0) } }, format: { $0.map(format) })
    }

    /// A whole number, with `K`, `M` and `G` for bytes.
    ///
    /// - Parameter orZero: Whether it may be 0, too, which stands for something else.
    static func number(
        _ name: String, _ range: ClosedRange<Int>, bytes: Bool = false, orZero: Bool = false,
        into path: Field<Int>, _ summary: String
    ) -> SettingKey {
        let unit = bytes ? " bytes (K, M and G stand for KiB, MiB and GiB)" : ""
        let zero = orZero ? "0, or " : ""
        return value(
            name, into: path, placeholder: bytes ? "BYTES" : "N",
            expected:
                "\(zero)a whole number from \(range.lowerBound) to \(range.upperBound)\(unit)",
            summary,
            parse: { text in
                wholeNumber(text, bytes: bytes).flatMap {
                    range.contains($0) || orZero && $0 == 0 ? $0 : nil
                }
            },
            format: { String($0) })
    }

    static func yesOrNo(
        _ name: String, into path: Field<Bool>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, expected: "yes or no", summary, parse: isYes,
            format: { $0 ? "yes" : "no" })
    }

    static func choice<Value>(
        _ name: String, into path: Field<Value>, _ summary: String
    ) -> SettingKey
    where Value: RawRepresentable<String> & CaseIterable & Sendable {
        let words = Value.allCases.map(\.rawValue)
        return value(
            name, into: path, placeholder: words.joined(separator: "|"),
            expected: words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")",
            summary, parse: { Value(rawValue: $0) }, format: { $0.rawValue })
    }

    static func address(
        _ name: String, into path: Field<ListenAddress>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "HOST:PORT",
            expected: "a numeric address and a port, such as 127.0.0.1:8080 or [::1]:8080",
            summary, parse: { ListenAddress($0) }, format: { $0.description })
    }

    static func optionalAddress(
        _ name: String, into path: Field<ListenAddress?>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "HOST:PORT",
            expected: "a numeric address and a port, such as 127.0.0.1:8081", summary,
            parse: { text in ListenAddress(text).map { .some($0) } },
            format: { $0?.description })
    }

    static func directory(
        _ name: String, into path: Field<String>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "DIR", expected: directoryExpected, summary,
            parse: directoryPath, format: { $0 })
    }

    static func optionalDirectory(
        _ name: String, into path: Field<String?>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "DIR", expected: directoryExpected, summary,
            parse: { text in directoryPath(text).map { .some($0) } }, format: { $0 })
    }

    /// Where a socket is made, or `no`.
    static func socketPath(
        _ name: String, into path: Field<String?>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "PATH",
            expected: "no, or an absolute path of at most \(LocalSocket.pathBytesMax) bytes",
            summary,
            parse: { text in
                if isYes(text) == false { return .some("") }
                let isOneLine = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
                let fits = text.utf8.count <= LocalSocket.pathBytesMax
                return text.hasPrefix("/") && isOneLine && fits ? .some(text) : nil
            },
            format: { $0.map { $0.isEmpty ? "no" : $0 } })
    }

    /// Something that the system knows by a name.
    static func name(
        _ name: String, into path: Field<String?>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "NAME",
            expected: "a name of letters, digits, - and _", summary,
            parse: { text in
                let isName = text.utf8.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                    default: false
                    }
                }
                return isName && (1...32).contains(text.utf8.count) ? .some(text) : nil
            },
            format: { $0 })
    }

    static func program(
        _ name: String, into path: Field<String?>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "PROGRAM",
            expected: "the absolute path of a program; what it is called with is added",
            summary,
            parse: { text in
                let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && $0 != 0x3B }
                return text.hasPrefix("/") && isPlain ? .some(text) : nil
            },
            format: { $0 })
    }

    /// Words separated by commas; a further line of the file adds to them.
    ///
    /// - Parameters:
    ///   - isRequired: Whether there has to be one.
    ///   - parse: Reads one word.
    static func list<Element>(
        _ name: String, into path: Field<[Element]>, placeholder: String? = nil,
        isRequired: Bool = false, expected: String, _ summary: String,
        parse: @escaping @Sendable (String) -> Element?,
        format: @escaping @Sendable (Element) -> String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: placeholder, expected: expected, summary,
            parse: { text in
                let words = text.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
                let read = words.compactMap { parse(String($0)) }
                return read.count == words.count && !(isRequired && read.isEmpty) ? read : nil
            },
            format: { $0.map(format).joined(separator: ", ") }
        ).with(\.isList, true)
    }

    /// Addresses, and ranges of them.
    static func ranges(
        _ name: String, into path: Field<[AddressRange]>, _ summary: String
    ) -> SettingKey {
        list(
            name, into: path, placeholder: "ADDRESS,...",
            expected: "numeric addresses separated by commas, each with /BITS behind it when it"
                + " stands for all that begin so, such as 10.0.0.0/8 or ::1", summary,
            parse: { AddressRange($0) }, format: { $0.description })
    }

    /// What stands in a file of its own, if anywhere.
    static func optionalSecret(
        _ name: String, into path: Field<SecretSource?>, _ summary: String
    ) -> SettingKey {
        value(
            name, into: path, placeholder: "FILE",
            expected: "the absolute path of a file, or credential:NAME", summary,
            // A reload writes nothing for nothing, and reads it again.
            parse: { text in
                text.isEmpty ? .some(nil) : SecretSource(text).map { .some($0) }
            },
            format: { $0?.description })
    }

    /// Web origins (RFC 6454).
    static func origins(
        _ name: String, into path: Field<[String]>, _ summary: String
    ) -> SettingKey {
        list(
            name, into: path, placeholder: "ORIGIN,...",
            expected: "origins separated by commas, each SCHEME://HOST or SCHEME://HOST:PORT"
                + " without a path, such as https://app.example.com; or null", summary,
            parse: { text in
                let text = text.lowercased()
                return isOrigin(text) || text == "null" ? text : nil
            },
            format: { $0 })
    }

    /// Names and addresses as they stand in a Host header.
    static func hosts(
        _ name: String, into path: Field<[String]>, _ summary: String
    ) -> SettingKey {
        list(
            name, into: path, placeholder: "HOST,...",
            expected: "names or addresses separated by commas, each without a port, such as"
                + " chat.example.com or [2001:db8::1]", summary,
            parse: { text in isHost(text.lowercased()) ? text.lowercased() : nil },
            format: { $0 })
    }
}

// MARK: - Values as people write them

/// Digits, with a factor behind them when they count bytes; nil when it is anything else.
private func wholeNumber(_ text: String, bytes: Bool) -> Int? {
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

private let directoryExpected = "the path of a directory, written out (~ has no meaning here)"

private func directoryPath(_ text: String) -> String? {
    let isOneLine = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    return isOneLine && !text.isEmpty && !text.hasPrefix("~") ? text : nil
}

/// Yes or no, in any of the usual words; nil when it is anything else.
@Sendable
private func isYes(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
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

/// A name or an address without a port; one of IPv6 in brackets.
private func isHost(_ text: String) -> Bool {
    if text.hasPrefix("[") { return ListenAddress("\(text):0")?.isIPv6 == true }
    return !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
}
