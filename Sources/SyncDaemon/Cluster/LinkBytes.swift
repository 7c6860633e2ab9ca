// The link between daemons, byte by byte: what all its frames are made of.

/// Bytes that are no frame of this release's: the other side is another release, or damaged.
struct LinkError: Error, Hashable {}

/// A value that has a form on the link.
///
/// Numbers are LEB128, seven bits a byte, signed ones folded (0, -1, 1, …); texts and lists have
/// their lengths before them; a case is a number, which is never given to another one.
protocol LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError)
    func write(to writer: inout LinkWriter)
}

/// What is to be sent.
struct LinkWriter {
    private(set) var bytes: [UInt8] = []

    /// Most frames are no longer.
    private static let usualBytes = 512

    init() { bytes.reserveCapacity(Self.usualBytes) }

    mutating func put(byte: UInt8) { bytes.append(byte) }
    mutating func put(_ text: String.UTF8View) { bytes.append(contentsOf: text) }

    /// Writes a number of four bytes, the highest first, over what is at the start.
    ///
    /// - Precondition: So much is there.
    mutating func setFirst(_ number: UInt32) {
        for index in 0..<4 {
            bytes[index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(index)))
        }
    }

    mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func put(_ value: some LinkCodable) { value.write(to: &self) }

    /// One case of several, and what belongs to it.
    mutating func put(case number: UInt8, _ value: some LinkCodable) {
        bytes.append(number)
        put(value)
    }
}

/// What was received and is not read yet.
///
/// Nothing is taken for granted of the other side but the lengths of its frames: what is read never
/// takes more memory than a small multiple of its bytes.
struct LinkReader {
    private let bytes: ArraySlice<UInt8>
    private var offset: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    var isAtEnd: Bool { offset == bytes.endIndex }
    var count: Int { bytes.endIndex - offset }

    mutating func byte() throws(LinkError) -> UInt8 {
        guard offset < bytes.endIndex else { throw LinkError() }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func take(_ count: Int) throws(LinkError) -> ArraySlice<UInt8> {
        guard count <= self.count else { throw LinkError() }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }

    /// The shortest form alone is one: of equal values all bytes are equal.
    mutating func number() throws(LinkError) -> UInt64 {
        var (number, shift) = (UInt64(0), UInt64(0))
        while true {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw LinkError() }
            number |= UInt64(next & 0x7f) << shift
            guard next & 0x80 != 0 else {
                guard next != 0 || shift == 0 else { throw LinkError() }
                return number
            }
            shift += 7
        }
    }

    /// How many of something follow, each of one byte or more.
    mutating func length() throws(LinkError) -> Int {
        let number = try number()
        guard number <= UInt64(count) else { throw LinkError() }
        return Int(number)
    }

    mutating func value<Value: LinkCodable>(
        _ type: Value.Type = Value.self
    ) throws(LinkError) -> Value {
        try Value(from: &self)
    }
}

extension UInt64: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) { self = try reader.number() }
    func write(to writer: inout LinkWriter) { writer.put(self) }
}

extension Int64: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let folded = try reader.number()
        self = Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
    }

    func write(to writer: inout LinkWriter) {
        writer.put(UInt64(bitPattern: self << 1 ^ self >> 63))
    }
}

extension Int: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        self = Int(try reader.value(Int64.self))
    }

    func write(to writer: inout LinkWriter) { writer.put(Int64(self)) }
}

extension Bool: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        switch try reader.byte() {
        case 0: self = false
        case 1: self = true
        default: throw LinkError()
        }
    }

    func write(to writer: inout LinkWriter) { writer.put(byte: self ? 1 : 0) }
}

extension String: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        let bytes = try reader.take(try reader.length())
        guard let text = String(validating: bytes, as: UTF8.self) else { throw LinkError() }
        self = text
    }

    func write(to writer: inout LinkWriter) {
        writer.put(UInt64(utf8.count))
        writer.put(utf8)
    }
}

extension Optional: LinkCodable where Wrapped: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        self = try reader.value(Bool.self) ? .some(try reader.value()) : nil
    }

    func write(to writer: inout LinkWriter) {
        writer.put(self != nil)
        if let self { writer.put(self) }
    }
}

extension Array: LinkCodable where Element: LinkCodable {
    init(from reader: inout LinkReader) throws(LinkError) {
        self = []
        for _ in 0..<(try reader.length()) { append(try reader.value()) }
    }

    func write(to writer: inout LinkWriter) {
        writer.put(UInt64(count))
        for element in self { writer.put(element) }
    }
}
