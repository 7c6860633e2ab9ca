// The time of a message where the terminal is.

import EventModel
import Glibc
import SyncClient

/// A moment as people here write it.
struct LocalTime: Hashable, Sendable {
    /// For example `10:32`.
    let time: String
    /// For example `Fri 27 Nov 2026`.
    let day: String

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameters:
    ///   - date: Year, month and day of the month, from 1 on.
    ///   - weekday: 0 is Sunday.
    init(date: (Int, Int, Int), weekday: Int, hour: Int, minute: Int) {
        time = Self.twoDigits(hour) + ":" + Self.twoDigits(minute)
        let (year, month, day) = date
        self.day = "\(Self.weekdays[weekday % 7]) \(day) \(Self.months[(month - 1) % 12]) \(year)"
    }

    /// In the time zone of the process ($TZ, /etc/localtime).
    init(_ timetoken: Timetoken) {
        var seconds = time_t(timetoken.unixSeconds)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        self.init(
            date: unsafe (
                Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)
            ), weekday: unsafe Int(parts.tm_wday), hour: unsafe Int(parts.tm_hour),
            minute: unsafe Int(parts.tm_min))
    }

    /// For example `10:32:05`.
    static var now: String {
        var seconds = Glibc.time(nil)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        let all = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return all.map { twoDigits(Int($0)) }.joined(separator: ":")
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
