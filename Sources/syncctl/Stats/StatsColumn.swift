// What `stats` and `top` show of a daemon: one row per figure.

/// A figure of an interval.
struct StatsColumn: Sendable {
    /// In JSON.
    let key: String
    /// Above a column.
    let title: String
    let summary: String
    /// `nil`: the daemon does not say, or nothing happened.
    let reading: @Sendable (StatsInterval) -> Double?

    /// - Returns: Never what is no number.
    func value(_ interval: StatsInterval) -> Double? {
        reading(interval).flatMap { $0.isNaN ? nil : $0 }
    }

    func text(_ interval: StatsInterval) -> String {
        value(interval).map { Figure.text($0) } ?? "-"
    }

    /// So wide that no figure has to be cut.
    var width: Int { max(title.count, Figure.columns) }

    /// What `stats` shows.
    static let all: [StatsColumn] = [
        StatsColumn(key: "sessions", title: "sess", summary: "connections of devices") {
            $0.now["syncdaemon_sessions"]
        },
        StatsColumn(
            key: "subscriptions", title: "subs", summary: "channels that these follow, summed up"
        ) { $0.now["syncdaemon_subscriptions"] },
        StatsColumn(
            key: "commandsPerSecond", title: "cmd/s",
            summary: "commands and requests in a second, this tool's too"
        ) { $0.rate("syncdaemon_commands_total", "syncdaemon_requests_total") },
        StatsColumn(
            key: "writesPerSecond", title: "wr/s", summary: "writes that became durable"
        ) { $0.rate("syncdaemon_writes_committed_total") },
        StatsColumn(
            key: "commitMilliseconds", title: "commit",
            summary: "of 100 commits 99 were quicker, ms"
        ) { $0.bound(of: "syncdaemon_commit_seconds", part: 0.99).map { $0 * 1000 } },
        StatsColumn(
            key: "queued", title: "queue", summary: "writes and questions that wait"
        ) { $0.sum("syncdaemon_ledger_backlog", "syncdaemon_reader_backlog") },
        StatsColumn(
            key: "deliveriesPerSecond", title: "dlv/s", summary: "events to devices in a second"
        ) { $0.rate("syncdaemon_deliveries_total") },
        StatsColumn(
            key: "readsPerSecond", title: "rd/s", summary: "questions to the store in a second"
        ) { $0.rate("syncdaemon_reads_total") },
        StatsColumn(
            key: "errorsPerSecond", title: "err/s",
            summary: "commands that were refused, in a second"
        ) { $0.rate("syncdaemon_command_errors_total") },
        StatsColumn(
            key: "unsentBytes", title: "unsent", summary: "bytes that wait for slow devices"
        ) { $0.now["syncdaemon_unsent_bytes"] },
        StatsColumn(
            key: "cpuPercent", title: "cpu%", summary: "of one processor, in percent"
        ) { $0.rate("process_cpu_seconds_total").map { $0 * 100 } },
        StatsColumn(
            key: "residentBytes", title: "rss", summary: "memory of the process"
        ) { $0.now["process_resident_memory_bytes"] },
    ]

    /// What `top` shows besides.
    static let stored: [StatsColumn] = [
        StatsColumn(
            key: "databaseBytes", title: "store", summary: "the database file"
        ) { $0.now["syncdaemon_store_bytes"] },
        StatsColumn(key: "logBytes", title: "wal", summary: "its log") {
            $0.now["syncdaemon_store_wal_bytes"]
        },
        StatsColumn(
            key: "diskFreeBytes", title: "free", summary: "what the disk has left"
        ) { $0.now["syncdaemon_store_disk_free_bytes"] },
        StatsColumn(
            key: "memoryBytes", title: "mem", summary: "memory that clients cause"
        ) { $0.now["syncdaemon_memory_bytes"] },
        StatsColumn(
            key: "memoryMaxBytes", title: "of", summary: "what they may cause"
        ) { $0.now["syncdaemon_memory_max_bytes"] },
        StatsColumn(
            key: "turnMilliseconds", title: "turn",
            summary: "of 100 turns of a reactor 99 were quicker, ms"
        ) { $0.bound(of: "syncdaemon_reactor_turn_seconds", part: 0.99).map { $0 * 1000 } },
        StatsColumn(
            key: "waitMilliseconds", title: "wait",
            summary: "of 100 questions 99 waited less, ms"
        ) { $0.bound(of: "syncdaemon_read_wait_seconds", part: 0.99).map { $0 * 1000 } },
        StatsColumn(
            key: "pagesPerSecond", title: "pg/s", summary: "pages of windows in a second"
        ) { $0.rate("syncdaemon_window_pages_total") },
        StatsColumn(key: "repairsPerSecond", title: "rep/s", summary: "repairs in a second") {
            $0.rate("syncdaemon_repairs_total", "syncdaemon_segment_repairs_total")
        },
        StatsColumn(
            key: "differences", title: "diff", summary: "devices that were not equal, so far"
        ) { $0.now["syncdaemon_convergence_mismatches_total"] },
    ]
}
