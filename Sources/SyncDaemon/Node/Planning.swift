// `syncdaemon plan`: what a service needs, said before it is there.

import Basis
import EventModel
import JSON

enum Planning {
    /// What is said to be bought for each of what is used, so that the busiest day finds room.
    private enum Margin {
        static let cores = 2.0
        static let memory = 1.5
        static let disk = 1.5
        static let memoryMin = 536_870_912.0
    }

    /// For people.
    static func text(_ use: PlannedUse, _ cost: PlannedCost) -> String {
        var lines = [
            "\(count(Double(use.users))) users, \(count(cost.devices)) devices connected; a day"
                + " \(count(cost.messagesPerDay)) messages, \(count(cost.reactionsPerDay))"
                + " reactions.",
            "Busiest hour: \(rate(cost.writesPerSecond)) writes a second, each to"
                + " \(rate(cost.audience)) devices; \(rate(cost.returnsPerSecond)) devices a second"
                + " come back.", "", "Disk on day \(use.days)",
        ]
        for row in cost.rows where row.bytes > 0 { lines.append(line(row.label, bytes(row.bytes))) }
        lines.append(line("the log beside it", bytes(cost.logBytes)))
        if cost.archiveBytes > 0 {
            lines.append(line("archive of \(use.archiveDays) days", bytes(cost.archiveBytes)))
        }
        lines += [
            line("all", bytes(cost.disk)), "", "Memory",
            line("all, with caches that are full", bytes(cost.memory)), "",
            "Processor, cores that are busy in that hour",
            line("writes", cores(cost.writing)), line("deliveries", cores(cost.delivering)),
            line("devices that come back", cores(cost.comingBack)),
            line("all", cores(cost.cores)), "", "Network, out, in that hour",
            line("all", "\(rate(cost.bitsPerSecond / 1e6)) Mbit/s"), "",
        ]
        let disk = bytes((cost.database + cost.logBytes) * Margin.disk)
        let archived = bytes(cost.archiveBytes * Margin.disk)
        let archive =
            cost.archiveBytes > 0 ? ", and on another disk \(archived) for the archive" : ""
        let taken = Int((cost.cores * Margin.cores).rounded(.up))
        lines += TextLayout.wrap(
            "Take at least \(taken) core\(taken == 1 ? "" : "s"),"
                + " \(bytes(max(cost.memory * Margin.memory, Margin.memoryMin))) of memory and"
                + " \(disk) of disk\(archive): half of the cores and a third of the rest are for"
                + " days unlike others, and nothing is for backups beside the data."
                + " docs/CAPACITY.md says where the figures come from."
                + warnings(cost), width: 96)
        return lines.joined(separator: "\n") + "\n"
    }

    /// What no machine gives.
    private static func warnings(_ cost: PlannedCost) -> String {
        var text = ""
        if cost.writing >= 0.8 {
            text +=
                " One thread makes all commits, and this is more than one daemon can write:"
                + " share the tenants out among several."
        }
        let subscriptions = cost.devices * cost.followed
        if cost.devices > Double(Limits.connectionsMax)
            || subscriptions > Double(Limits.subscriptionsPerKeysetMax)
        {
            text +=
                " So many devices are more than the defaults let in: raise connections,"
                + " subscriptions, subscriptions_max of a keyset and LimitNOFILE, or share them"
                + " out among several daemons (docs/CLUSTER.md)."
        }
        return text
    }

    /// For programs: bytes, seconds of a processor, and what was measured.
    static func json(_ cost: PlannedCost, _ costs: MeasuredCosts = MeasuredCosts()) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.name("disk")
        json.beginObject()
        for row in cost.rows { json.member(row.name, number: row.bytes) }
        json.member("database", number: cost.database)
        json.member("log", number: cost.logBytes)
        json.member("archive", number: cost.archiveBytes)
        json.member("all", number: cost.disk)
        json.endObject()
        json.member("memory", number: cost.memory)
        json.name("cores")
        json.beginObject()
        json.member("writes", number: cost.writing)
        json.member("deliveries", number: cost.delivering)
        json.member("returns", number: cost.comingBack)
        json.member("all", number: cost.cores)
        json.endObject()
        json.member("bitsPerSecond", number: cost.bitsPerSecond)
        json.member("writesPerSecond", number: cost.writesPerSecond)
        json.member("commitsPerSecond", number: cost.commitsPerSecond)
        json.member("deliveriesPerSecond", number: cost.deliveriesPerSecond)
        json.name("costs")
        json.beginObject()
        for (name, value) in costs.named { json.member(name, number: value) }
        json.endObject()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    private static func line(_ label: String, _ value: String) -> String {
        let blanks = String(repeating: " ", count: max(1, 52 - label.count - value.count))
        return "  \(label)\(blanks)\(value)"
    }

    private static func count(_ number: Double) -> String {
        let digits = "\(Int(number.rounded()))"
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            })
    }

    /// Three digits, or all that are before the point.
    private static func rate(_ number: Double) -> String {
        number >= 100 ? count(number) : rounded(number, number >= 10 ? 10 : 100)
    }

    private static func cores(_ number: Double) -> String { rounded(number, 1000) }

    private static func bytes(_ number: Double) -> String {
        let gibibyte = 1_073_741_824.0
        if number >= 1024 * gibibyte { return "\(rate(number / 1024 / gibibyte)) TiB" }
        if number >= gibibyte { return "\(rate(number / gibibyte)) GiB" }
        return "\(rate(number / 1_048_576)) MiB"
    }

    private static func rounded(_ number: Double, _ parts: Double) -> String {
        "\((number * parts).rounded() / parts)"
    }
}

extension JSONWriter {
    /// A number that need not be whole.
    fileprivate mutating func member(_ name: StaticString, number: Double) {
        self.name(name)
        raw("\(number)")
    }
}
