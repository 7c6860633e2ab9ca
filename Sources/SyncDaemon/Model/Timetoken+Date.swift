// A timetoken as a date and a time of day: as PubNub writes when something was changed, and as
// Stream does.

import EventModel

extension Timetoken {
    /// In UTC, to the microsecond: `2026-11-26T09:00:00.123456Z`.
    ///
    /// - Source: RFC 3339; days to a date as by Howard Hinnant, "chrono-Compatible Low-Level Date
    ///   Algorithms".
    var dateText: String {
        let microseconds = rawValue / 10
        let (seconds, fraction) = (microseconds / 1_000_000, microseconds % 1_000_000)
        let (days, second) = (Int(seconds / 86_400), seconds % 86_400)
        // From 0000-03-01 on, so that a leap day is the last of its year.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let date = "\(year, width: 4)-\(month, width: 2)-\(day, width: 2)"
        let (hour, minute) = (second / 3600, second / 60 % 60)
        let time = "\(Int(hour), width: 2):\(Int(minute), width: 2):\(Int(second % 60), width: 2)"
        return "\(date)T\(time).\(Int(fraction), width: 6)Z"
    }
}

extension Timetoken {
    /// Reads a date and a time of day with its offset from UTC.
    ///
    /// Such as `2026-11-26T09:00:00.123456Z` or `2026-11-26T10:00:00+01:00`; digits below 100 ns
    /// are dropped. Anything else is `nil`.
    ///
    /// - Source: RFC 3339, 5.6; as above.
    init?(date text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            var number = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            return number
        }
        guard bytes.count >= 20, let year = number(0..<4), let month = number(5..<7),
            let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
            let second = number(17..<19), bytes[4] == 0x2D, bytes[7] == 0x2D,
            bytes[13] == 0x3A, bytes[16] == 0x3A, "Tt ".utf8.contains(bytes[10]), year >= 1970,
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[month - 1] else { return nil }
        var (ticks, index) = (0, 19)
        if bytes[index] == 0x2E {
            let digits = bytes[(index + 1)...].prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            index += 1 + digits.count
            for place in 0..<7 {
                let digit = place < digits.count ? Int(digits[digits.startIndex + place]) - 0x30 : 0
                ticks = ticks * 10 + digit
            }
        }
        var offset = 0
        if bytes[index...].elementsEqual("Z".utf8) || bytes[index...].elementsEqual("z".utf8) {
        } else if bytes.count == index + 6, let hours = number(index + 1..<index + 3),
            let minutes = number(index + 4..<index + 6), bytes[index + 3] == 0x3A,
            bytes[index] == 0x2B || bytes[index] == 0x2D
        {
            offset = (hours * 60 + minutes) * (bytes[index] == 0x2B ? 60 : -60)
        } else {
            return nil
        }
        let shifted = month > 2 ? year : year - 1
        let (era, yearOfEra) = (shifted / 400, shifted % 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        guard seconds >= 0 else { return nil }
        self.init(rawValue: UInt64(seconds) * 10_000_000 + UInt64(ticks))
    }
}

extension String.StringInterpolation {
    fileprivate mutating func appendInterpolation(_ number: Int, width: Int) {
        let digits = String(number)
        appendLiteral(String(repeating: "0", count: max(0, width - digits.count)) + digits)
    }
}
