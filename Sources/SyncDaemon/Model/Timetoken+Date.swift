// A timetoken as a date and a time of day, as PubNub writes when something was changed.

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

extension String.StringInterpolation {
    fileprivate mutating func appendInterpolation(_ number: Int, width: Int) {
        let digits = String(number)
        appendLiteral(String(repeating: "0", count: max(0, width - digits.count)) + digits)
    }
}
