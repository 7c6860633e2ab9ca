// Reads a multipart form as its bytes come, and finds the one file in it.
//
// Pure, and holds no more than a boundary's worth of the file.

import EventModel

/// One form, from its first byte to its last.
///
/// - Source: RFC 7578 and RFC 2046, section 5.1.
struct FormReader {
    enum Fault: Error, Hashable {
        /// It is no form, or breaks off.
        case malformed
        /// It has no field `file`, or two.
        case notOneFile
        /// Its other fields are too long.
        case tooLong
    }

    private enum Place {
        /// Before the first boundary, or in a part.
        case content(isFile: Bool)
        /// Behind a boundary: a line end, or the end of the form.
        case boundary
        case head
        case end
    }

    private let delimiter: [UInt8]
    private var place = Place.content(isFile: false)
    /// What is not decided yet.
    private var rest: [UInt8]
    private var hasFile = false
    /// Bytes besides the file.
    private var otherBytes = 0

    /// - Returns: `nil` when this is not the `Content-Type` of such a form.
    init?(contentType: String) {
        guard let boundary = Self.boundary(of: contentType) else { return nil }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first boundary may be the first line.
        rest = Array("\r\n".utf8)
    }

    private static func boundary(of contentType: String) -> String? {
        let parts = contentType.split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " || $0 == "\t" } }
        guard let type = parts.first, type.lowercased() == "multipart/form-data",
            let part = parts.dropFirst().first(where: { $0.lowercased().hasPrefix("boundary=") })
        else { return nil }
        var boundary = part.dropFirst("boundary=".count)
        if boundary.hasPrefix("\""), boundary.hasSuffix("\""), boundary.count > 1 {
            boundary = boundary.dropFirst().dropLast()
        }
        guard (1...Limits.formBoundaryBytesMax).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        return String(boundary)
    }

    /// Takes the next bytes.
    ///
    /// - Returns: Those of the file among them and before.
    mutating func read(_ bytes: [UInt8]) throws(Fault) -> [UInt8] {
        rest += bytes
        var file: [UInt8] = []
        while try step(&file) {}
        return file
    }

    /// Hears that nothing more comes.
    func end() throws(Fault) {
        guard case .end = place else { throw .malformed }
        guard hasFile else { throw .notOneFile }
    }

    /// - Returns: Whether there may be more to decide.
    private mutating func step(_ file: inout [UInt8]) throws(Fault) -> Bool {
        switch place {
        case .content(let isFile):
            let (end, isFound) = endOfContent()
            if isFile { file += rest[..<end] } else { try count(end) }
            guard isFound else {
                rest.removeFirst(end)
                return false
            }
            try count(delimiter.count)
            rest.removeFirst(end + delimiter.count)
            place = .boundary
            return true
        case .boundary:
            guard rest.count >= 2 else { return false }
            switch (rest[0], rest[1]) {
            case (UInt8(ascii: "-"), UInt8(ascii: "-")): place = .end
            case (UInt8(ascii: "\r"), UInt8(ascii: "\n")): place = .head
            default: throw .malformed
            }
            // The line end may begin the blank line behind a head without lines.
            if case .end = place { rest.removeFirst(2) }
            return true
        case .head:
            guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound else {
                // The end of the longest head may be cut anywhere.
                guard rest.count < Limits.formHeadBytesMax + 4 else { throw .malformed }
                return false
            }
            guard end <= Limits.formHeadBytesMax else { throw .malformed }
            try count(end)
            let isFile = Self.isFile(head: rest[..<end])
            guard !isFile || !hasFile else { throw .notOneFile }
            hasFile = hasFile || isFile
            rest.removeFirst(end + 4)
            place = .content(isFile: isFile)
            return true
        case .end:
            try count(rest.count)
            rest = []
            return false
        }
    }

    private mutating func count(_ bytes: Int) throws(Fault) {
        otherBytes += bytes
        guard otherBytes <= Limits.formBytesMax else { throw .tooLong }
    }

    /// Where the contents end: at the delimiter, or before what may become one.
    private func endOfContent() -> (Int, isFound: Bool) {
        let (bytes, delimiter) = (rest.span, delimiter.span)
        var start = 0
        while start < bytes.count {
            guard bytes[start] == delimiter[0] else {
                start += 1
                continue
            }
            var length = 1
            while length < delimiter.count, start + length < bytes.count,
                bytes[start + length] == delimiter[length]
            {
                length += 1
            }
            if length == delimiter.count { return (start, true) }
            if start + length == bytes.count { return (start, false) }
            start += 1
        }
        return (start, false)
    }

    /// Whether a part is the field `file`.
    private static func isFile(head: ArraySlice<UInt8>) -> Bool {
        String(decoding: head, as: UTF8.self).split(separator: "\r\n").contains { line in
            let line = line.lowercased()
            guard line.hasPrefix("content-disposition:") else { return false }
            return line.split(separator: ";").contains { parameter in
                let text = parameter.drop { $0 == " " }
                return text == "name=\"file\"" || text == "name=file"
            }
        }
    }
}
