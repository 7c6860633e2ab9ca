// What the kernel says about other processes: their CPU time, memory and children.

import Glibc

/// Reads the use that processes make of the machine.
enum ProcessUsage {
    /// CPU time of all threads of these processes, in nanoseconds.
    ///
    /// The kernel's clock of a process counts what `/proc/PID/stat` shows, but not in ticks of
    /// 10 ms (clock_getcpuclockid(3)).
    ///
    /// - Throws: When one of them is gone: what is left would pass for a cheap server.
    static func cpuNanoseconds(of processes: [pid_t]) throws(BenchError) -> UInt64 {
        var sum: UInt64 = 0
        for process in processes {
            var clock = clockid_t()
            var time = timespec()
            guard unsafe clock_getcpuclockid(process, &clock) == 0,
                unsafe clock_gettime(clock, &time) == 0
            else {
                throw BenchError("The CPU time of process \(process) cannot be read: it ended.")
            }
            sum += UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
        return sum
    }

    /// Resident memory of these processes, in bytes.
    static func residentBytes(of processes: [pid_t]) throws(BenchError) -> Int {
        var sum = 0
        for process in processes {
            guard let text = File.text("/proc/\(process)/statm"),
                let pages = residentPages(inStatm: text)
            else { throw BenchError("The memory of process \(process) cannot be read: it ended.") }
            sum += pages * sysconf(Int32(_SC_PAGESIZE))
        }
        return sum
    }

    /// The process and its children, as nginx has them.
    static func family(of process: pid_t) -> [pid_t] {
        [process]
            + File.names(in: "/proc").compactMap { name in
                guard let child = pid_t(name), let stat = File.text("/proc/\(child)/stat"),
                    parent(inStat: stat) == process
                else { return nil }
                return child
            }
    }

    /// The second number of `/proc/PID/statm` (proc(5)).
    static func residentPages(inStatm text: String) -> Int? {
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]) : nil
    }

    /// The fourth field of `/proc/PID/stat`.
    ///
    /// The second is the program's name in parentheses, which may itself hold spaces and
    /// parentheses.
    static func parent(inStat text: String) -> pid_t? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ")
        return fields.count > 2 ? pid_t(fields[2]) : nil
    }
}
