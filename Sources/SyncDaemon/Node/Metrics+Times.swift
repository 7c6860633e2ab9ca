// How long things take, what codes were told, and what the store's files have of the disk.

import EventModel

extension Metrics {
    var histograms: String {
        histogram(
            "reactor_turn_seconds", "Time between two waits of a reactor.",
            [(nil, counters.turns)])
            + histogram(
                "commit_seconds", "Time of a transaction of the ledger, the disk included.",
                [(nil, counters.commitTimes)])
            + histogram(
                "sync_seconds",
                "What the disk takes of a transaction, or the database server and its standby.",
                [(nil, counters.syncTimes)])
            + histogram(
                "write_wait_seconds",
                "From when a write is submitted to when it is on the disk, or refused.",
                [(nil, counters.writeTimes)])
            + histogram(
                "delivery_seconds",
                "From a commit to when all its events are with the sockets, or wait for slow ones.",
                [(nil, counters.deliveryTimes)])
            + histogram(
                "read_wait_seconds", "From a question to its answer, by what it is about.",
                ReadKind.allCases.compactMap { kind in
                    counters.readTimes[kind].map { (#"kind="\#(kind.rawValue)""#, $0) }
                })
    }

    /// - Source: Prometheus exposition format 0.0.4, histograms.
    private func histogram(
        _ name: String, _ help: String, _ series: [(label: String?, times: Durations)]
    ) -> String {
        var text = "# HELP syncdaemon_\(name) \(help)\n# TYPE syncdaemon_\(name) histogram\n"
        for (label, times) in series {
            let figures = times.figures
            let prefix = label.map { "\($0)," } ?? ""
            let suffix = label.map { "{\($0)}" } ?? ""
            var sum = 0
            for (bound, count) in zip(times.bounds, figures.counts) {
                sum += count
                let end = Double(bound) / 1e6
                text += "syncdaemon_\(name)_bucket{\(prefix)le=\"\(end)\"} \(sum)\n"
            }
            sum += figures.counts.last ?? 0
            text += """
                syncdaemon_\(name)_bucket{\(prefix)le="+Inf"} \(sum)
                syncdaemon_\(name)_sum\(suffix) \(Double(figures.microseconds) / 1e6)
                syncdaemon_\(name)_count\(suffix) \(sum)

                """
        }
        return text
    }

    var codeRows: [Row] {
        counters.errors.figures.map { code, count in
            Row(
                name: "errors_total", kind: "counter",
                help: "Commands answered with an error, by its code; requests by their status.",
                value: count,
                label: #"code="\#(code)""#)
        }
            + counters.closes.figures.map { code, count in
                Row(
                    name: "closes_total", kind: "counter",
                    help: "Sessions that the daemon closed, by the code.", value: count,
                    label: #"code="\#(code)""#)
            }
            + [
                Row(
                    name: "build_info", kind: "gauge", help: "1; the label says the release.",
                    value: 1, label: #"version="\#(Release.version)""#)
            ]
    }

    /// Only with a file.
    var storeRows: [Row] {
        guard case .file(let path, _) = place else { return [] }
        let files = [
            ("store_bytes", "Size of the database.", Int(FileSystem.size(path))),
            (
                "store_free_bytes", "Of that, what holds nothing and is taken before it grows.",
                counters.storeFreeBytes.value
            ),
            (
                "store_wal_bytes", "Size of its write-ahead log.",
                Int(FileSystem.size(path + "-wal"))
            ),
            (
                "store_disk_free_bytes", "What the disk has left for it.",
                FreeSpace.bytes(at: path)
            ),
        ]
        return files.compactMap { name, help, bytes in bytes.map { gauge(name, help, $0) } }
    }
}
