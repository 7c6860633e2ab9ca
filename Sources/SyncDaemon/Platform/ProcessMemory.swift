// What the process has of the machine's memory, and what it may have.

import CLinux
import Glibc

/// Memory as the kernel counts it; Linux only.
enum ProcessMemory {
    /// Bytes that are in memory for this process alone: without pages of files, which the kernel
    /// takes back when it needs them.
    ///
    /// - Source: proc(5), `/proc/PID/statm`: size, resident, shared, in pages.
    static var privateBytes: Int {
        let fields = pages
        return fields.count > 2 ? max(0, fields[1] - fields[2]) * pageBytes : 0
    }

    /// Bytes that are in memory.
    static var residentBytes: Int {
        let fields = pages
        return fields.count > 1 ? fields[1] * pageBytes : 0
    }

    /// What the process may have: the machine's memory, or what its control group is allowed.
    static var available: Int {
        let machine = sysconf(Int32(_SC_PHYS_PAGES)) * pageBytes
        return min(machine, groupLimit ?? machine)
    }

    /// Gives what is free back to the system.
    ///
    /// Takes milliseconds for each 100 MB, in which other threads may have to wait for memory.
    static func giveBack() { sync_give_back_memory() }

    private static let pageBytes = sysconf(Int32(_SC_PAGESIZE))

    private static var pages: [Int] {
        text(of: "/proc/self/statm").split(separator: " ").compactMap { Int($0) }
    }

    /// - Source: Linux, Documentation/admin-guide/cgroup-v2.rst, `memory.max`.
    private static var groupLimit: Int? {
        let line = text(of: "/proc/self/cgroup").split(separator: "\n").first {
            $0.hasPrefix("0::/")
        }
        guard let path = line?.dropFirst(3) else { return nil }
        // In a namespace of its own a group sees itself at the top.
        let limits = [String(path), ""].compactMap { path in
            let text = text(of: "/sys/fs/cgroup\(path)/memory.max")
            return Int(text.prefix { $0 != "\n" })
        }
        return limits.min()
    }

    private static func text(of path: String) -> String {
        guard let file = unsafe fopen(path, "re") else { return "" }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
