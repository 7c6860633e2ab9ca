// Which requests are refused before anything looks at them. Pure: lines and texts in, a
// verdict out.

/// The checks that http-parser 2.9.4 does not make.
enum RequestRules {
    /// What to do with a request body's framing headers.
    ///
    /// Where two readers of a connection disagree about the end of a body, the rest of it is a
    /// request to one of them: request smuggling. So any `Transfer-Encoding` is refused, and any
    /// `Content-Length` that is not one plain number.
    ///
    /// - Source: RFC 9112, section 6.3.
    static func refusal(contentLength: String?, transferEncoding: String?) -> HTTPResponse? {
        if transferEncoding != nil {
            return .error(411, "Send the body with a Content-Length, not with Transfer-Encoding.")
        }
        guard let contentLength else { return nil }
        let digits = contentLength.utf8
        guard (1...9).contains(digits.count),
            digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        else { return .error(400, "Content-Length must be one plain number.") }
        return nil
    }

    /// Says early that a peer speaks something else, such as TLS; and refuses folded headers.
    static func mayStartLine(with byte: UInt8, isFirst: Bool) -> Bool {
        guard isFirst else { return byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || byte == UInt8(ascii: "\r")
    }

    /// Whether there is what no header may have; http-parser lets one pass where a value begins.
    static func hasControl(_ line: Span<UInt8>) -> Bool {
        (0..<(line.count - 2)).contains { index in
            let byte = line[index]
            return (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F
        }
    }

    /// Whether a line ends with SP HTTP/N.N after the bytes of its method and target.
    static func isStartLine(_ line: Span<UInt8>, versionAt start: Int) -> Bool {
        guard line.count - 2 - 8 == start else { return false }
        return " HTTP/".utf8.enumerated().allSatisfy { line[start - 1 + $0] == $1 }
    }

    /// Whether a line begins with a method, known or not, and a path behind it.
    static func hasMethod(_ line: Span<UInt8>) -> Bool {
        var index = 0
        while index < min(line.count, 32), (0x41...0x5A).contains(line[index]) { index += 1 }
        return index > 0 && index + 1 < line.count && line[index] == UInt8(ascii: " ")
            && line[index + 1] == UInt8(ascii: "/")
    }

    /// Whether a line that ends with LF ends with CR LF.
    ///
    /// Who lets LF alone pass may see a header where another reader sees a part of one.
    static func isEnded(_ line: Span<UInt8>) -> Bool {
        line.count > 1 && line[line.count - 2] == UInt8(ascii: "\r")
    }

    /// Whether a Host could be one; it may be empty.
    ///
    /// - Source: RFC 9112, section 3.2, and RFC 3986, section 3.2.2.
    static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~%!$&'()*+;=:[]".utf8.contains(byte)
            }
        }
    }

    /// The path and the query of a target in absolute form; any other target as it is.
    ///
    /// - Source: RFC 9112, section 3.2.2: a server must accept what is meant for proxies.
    static func originForm(of target: String) -> String {
        guard let rest = withoutScheme(target) else { return target }
        let path = rest.utf8.drop { !endsAuthority($0) }
        return path.first == UInt8(ascii: "/") ? String(Substring(path)) : "/" + Substring(path)
    }

    /// Whom a target in absolute form is for, which then counts and `Host` does not; `nil` for any
    /// other target.
    ///
    /// - Source: RFC 9112, section 3.2.2.
    static func authority(of target: String) -> String? {
        withoutScheme(target).map { rest in
            String(Substring(rest.utf8.prefix { !endsAuthority($0) }))
        }
    }

    private static func withoutScheme(_ target: String) -> Substring? {
        let start = target.prefix(8).lowercased()
        let isPlain = start.hasPrefix("http://")
        guard isPlain || start == "https://" else { return nil }
        return target.dropFirst(isPlain ? 7 : 8)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }
}
