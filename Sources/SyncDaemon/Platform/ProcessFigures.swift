// What every process shows to Prometheus, under the names that its libraries use.

import Glibc

/// Where the process stands, and since when; Linux only.
///
/// - Source: Prometheus, "Writing client libraries", process metrics.
struct ProcessFigures: Sendable {
    private let started = time(nil)

    var text: String {
        var spent = timespec()
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent)
        let seconds = Double(spent.tv_sec) + Double(spent.tv_nsec) / 1e9
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return """
            # HELP process_cpu_seconds_total Time on processors, of the program and for it.
            # TYPE process_cpu_seconds_total counter
            process_cpu_seconds_total \(seconds)
            # HELP process_resident_memory_bytes Memory of the process.
            # TYPE process_resident_memory_bytes gauge
            process_resident_memory_bytes \(ProcessMemory.residentBytes)
            # HELP process_open_fds Descriptors that it has.
            # TYPE process_open_fds gauge
            process_open_fds \(openDescriptors)
            # HELP process_max_fds Descriptors that it may have.
            # TYPE process_max_fds gauge
            process_max_fds \(limit.rlim_cur)
            # HELP process_start_time_seconds When it began, in seconds since 1970.
            # TYPE process_start_time_seconds gauge
            process_start_time_seconds \(started)

            """
    }

    private var openDescriptors: Int {
        guard let directory = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(directory) }
        // Itself, and two names that every directory has.
        var count = -3
        while unsafe readdir(directory) != nil { count += 1 }
        return max(0, count)
    }
}
