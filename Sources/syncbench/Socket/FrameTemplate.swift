// A WebSocket frame as a client sends it, with places for a channel, a time and a number.

/// A frame that is built once and filled in for each event.
///
/// Three words in its text have a fixed width, so that the frame's header holds for all events:
/// ``channelName(_:)`` of channel 0, ``Marker/text`` and ``sequence``.
struct FrameTemplate {
    enum Kind: UInt8 {
        case text = 1
        case binary = 2
    }

    /// 17 digits, as a timetoken has.
    static let sequence = "10000000000000000"

    private var bytes: [UInt8]
    private let channelPlaces: [Int]
    private let markerPlace: Int?
    private let sequencePlaces: [Int]

    init(_ text: String, _ kind: Kind = .text) {
        bytes = ClientFrame.bytes(Array(text.utf8), opcode: kind.rawValue)
        channelPlaces = bytes.places(of: Array(Self.channelName(0).utf8))
        markerPlace = bytes.places(of: Array(Marker.text.utf8)).first
        sequencePlaces = bytes.places(of: Array(Self.sequence.utf8))
    }

    /// Seven bytes, whatever the number.
    static func channelName(_ channel: Int) -> String {
        let digits = String(channel)
        return "c" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// The frame of one event.
    ///
    /// - Parameters:
    ///   - channel: 0 to 999,999.
    ///   - time: What its arrival will be compared with, in nanoseconds.
    ///   - number: Below 10^16.
    mutating func fill(channel: Int, time: UInt64, number: Int) -> [UInt8] {
        for place in channelPlaces { write(channel, digits: 6, at: place + 1) }
        for place in sequencePlaces { write(number, digits: 16, at: place + 1) }
        if let markerPlace { Marker.write(time, to: &bytes, at: markerPlace) }
        return bytes
    }

    private mutating func write(_ number: Int, digits: Int, at place: Int) {
        var rest = number
        for index in (place..<place + digits).reversed() {
            bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }
}

/// Frames from a client to a server.
enum ClientFrame {
    /// RFC 6455, section 5.2: complete and masked, as clients must.
    ///
    /// The mask is zero: it protects proxies from scripts in browsers, and there are none here.
    static func bytes(_ payload: [UInt8], opcode: UInt8) -> [UInt8] {
        precondition(payload.count < 65_536, "A frame of the load tool is short.")
        var bytes = [0x80 | opcode]
        if payload.count < 126 {
            bytes.append(0x80 | UInt8(payload.count))
        } else {
            bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        }
        return bytes + [0, 0, 0, 0] + payload
    }

    static func text(_ text: String) -> [UInt8] { bytes(Array(text.utf8), opcode: 1) }
    static func binary(_ text: String) -> [UInt8] { bytes(Array(text.utf8), opcode: 2) }
}

extension [UInt8] {
    /// Where this begins; they do not overlap.
    fileprivate func places(of word: [UInt8]) -> [Int] {
        var places: [Int] = []
        var index = 0
        while index + word.count <= count {
            if self[index..<index + word.count].elementsEqual(word) {
                places.append(index)
                index += word.count
            } else {
                index += 1
            }
        }
        return places
    }
}
