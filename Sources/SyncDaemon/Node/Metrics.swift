// The counters as Prometheus text.

import Glibc
import Synchronization

/// Writes what `/metrics` shows; any thread may ask.
///
/// - Source: Prometheus exposition format 0.0.4.
struct Metrics: Sendable {
    let counters: Counters
    let health: Health
    let admission: Admission
    let ledger: LedgerDoor
    let readers: ReaderPool
    let accounts: Accounts
    let certificate: CertificateWatch
    let webhooks: WebhookThread
    let interceptors: InterceptorThread
    /// `nil`: there are none.
    let files: FileService?
    /// `nil`: nothing is archived.
    let archive: ArchiveThread?
    /// `nil`: nothing is traced.
    let traces: TraceThread?
    /// `nil`: no daemon can follow this one.
    let links: LinkServer?
    /// The database; `nil`: there is no file, or it is another daemon's.
    let place: DatabasePlace?
    let process = ProcessFigures()

    struct Row {
        let name: String
        let kind: String
        let help: String
        let value: Int
        /// Such as `code="forbidden"`; rows of one name stand behind each other.
        var label: String?
        /// Then it is shown in seconds.
        var isMicroseconds = false
    }

    var text: String {
        var text = ""
        var last = ""
        let all = [
            rows, serverRows, clusterRows, cacheRows, tlsRows, refusals, tenants, webhookRows,
            interceptorRows, fileRows, archiveRows, traceRows, codeRows,
            storeRows,
        ]
        for row in all.joined() {
            if row.name != last {
                text += """
                    # HELP syncdaemon_\(row.name) \(row.help)
                    # TYPE syncdaemon_\(row.name) \(row.kind)

                    """
                last = row.name
            }
            let label = row.label.map { "{\($0)}" } ?? ""
            let value = row.isMicroseconds ? "\(Double(row.value) / 1e6)" : "\(row.value)"
            text += "syncdaemon_\(row.name)\(label) \(value)\n"
        }
        return text + histograms + process.text
    }

    private var refusals: [Row] {
        PolicyRefusal.allCases.map { reason in
            Row(
                name: "refusals_total", kind: "counter",
                help: "Who asked for what they may not do, by the reason.",
                value: counters.policyRefusals.count(of: reason),
                label: #"code="\#(reason.rawValue)""#)
        }
    }

    func gauge(_ name: String, _ help: String, _ value: Int) -> Row {
        Row(name: name, kind: "gauge", help: help, value: value)
    }

    func counter(_ name: String, _ help: String, _ value: Int) -> Row {
        Row(name: "\(name)_total", kind: "counter", help: help, value: value)
    }

    private func seconds(_ name: String, _ help: String, _ microseconds: Int) -> Row {
        Row(
            name: "\(name)_seconds_total", kind: "counter", help: help, value: microseconds,
            isMicroseconds: true)
    }

    /// Only with a database server.
    private var serverRows: [Row] {
        guard ledger.term > 0 else { return [] }
        return [
            gauge(
                "store_term",
                "How often a daemon has begun to write to the schema, this one last.",
                ledger.term),
            gauge(
                "store_wait_seconds", "For how long the database server has let the ledger wait.",
                ledger.waited.value),
        ]
    }

    /// Only where there is a certificate.
    private var tlsRows: [Row] {
        guard let left = certificate.secondsLeft(at: time(nil)) else { return [] }
        return [
            gauge(
                "tls_certificate_expiry_seconds",
                "Until the certificate of [tls] ends; negative when it has.", left),
            counter(
                "tls_handshakes", "TLS handshakes that were completed.",
                counters.tlsHandshakes.value),
            counter(
                "tls_handshake_failures", "TLS handshakes that were refused.",
                counters.tlsHandshakeFailures.value),
        ]
    }

    private var rows: [Row] {
        [
            gauge("connections", "Open connections.", admission.total),
            gauge("sessions", "Open WebSocket sessions.", counters.sessions.value),
            gauge(
                "subscriptions", "Channels followed, over all sessions.",
                counters.subscriptions.value),
            gauge("live_queries", "Live queries, over all sessions.", counters.liveQueries.value),
            gauge("polls", "Long polls that wait for an event.", counters.polls.value),
            gauge("ledger_backlog", "Writes waiting for the ledger.", ledger.backlog),
            gauge("reader_backlog", "Queries that have no answer yet.", readers.backlog),
            gauge(
                "mutations", "Mutation ids that are remembered; see mutation_days.",
                ledger.mutationCount),
            gauge("ready", "1 while /readyz answers 200, else 0.", health.isReady ? 1 : 0),
            gauge(
                "clock_unfollowed_seconds",
                "How far the wall clock is ahead of timetokens after a jump that is not followed.",
                ledger.clock.unfollowedSeconds),
            gauge("resident_bytes", "Memory of the process.", ProcessMemory.residentBytes),
            gauge(
                "memory_bytes", "Of that, what is no page of a file: what memory_max bounds.",
                ProcessMemory.privateBytes),
            gauge("memory_max_bytes", "What that may be.", accounts.pressure.max),
            gauge(
                "memory_level",
                "What is given up for it: 0 nothing, 1 new keysets, 2 new sessions, 3 queues.",
                accounts.pressure.level.rawValue),
            gauge(
                "unsent_bytes", "Bytes that sockets have not taken yet.", accounts.unsent.bytes),
            counter(
                "memory_refusals", "Times that somebody was refused for that.",
                accounts.pressure.refusals.value),
            counter(
                "connections_accepted", "Connections taken.",
                counters.connectionsAccepted.value),
            counter(
                "connections_shed", "Connections closed at once, for a limit.",
                counters.connectionsShed.value),
            counter("commands", "Messages from clients.", counters.commands.value),
            counter("requests", "HTTP requests.", counters.requests.value),
            counter(
                "command_errors", "Commands answered with an error.",
                counters.commandErrors.value),
            counter("deliveries", "Events queued for subscribers.", counters.deliveries.value),
            counter("socket_writes", "Writes to sockets.", counters.framesWritten.value),
            counter("socket_bytes", "Bytes written to sockets.", counters.bytesWritten.value),
            counter(
                "slow_consumers_collapsed",
                "Times that the backlog of a slow session became positions to read on from.",
                counters.slowConsumersCollapsed.value),
            counter(
                "slow_consumers_closed", "Sessions closed because they stopped reading.",
                counters.slowConsumersClosed.value),
            counter("commits", "Transactions of the ledger.", counters.commits.value),
            counter(
                "writes_committed", "Writes in those transactions that were carried out.",
                counters.writesCommitted.value),
            counter(
                "writes_refused", "Writes that the store could not take: full, damaged or gone.",
                counters.writesRefused.value),
            counter(
                "clock_jumps", "Times that the wall clock jumped by more than a minute.",
                ledger.clock.jumps.value),
            counter("reads", "Queries answered by the readers.", counters.reads.value),
            counter(
                "reads_refused", "Queries refused because too many wait, of all or of one asker.",
                counters.readsRefused.value),
            seconds(
                "read", "Time of the readers, all together.",
                counters.readMicroseconds.value),
            seconds(
                "dear_read", "Of that, for repairs and polls of many channels.",
                counters.dearReadMicroseconds.value),
            counter(
                "read_errors", "Queries that failed, damage aside.", counters.readErrors.value),
            counter(
                "store_damage", "Times that damage was met in reading or writing.",
                counters.storeDamage.value),
        ]
    }

    /// What devices hold of channels, and whether it was right.
    private var cacheRows: [Row] {
        [
            counter(
                "window_subscriptions", "Subscriptions to a part of a channel.",
                counters.windows.value),
            counter(
                "windows_renewed",
                "Of these, those of devices whose part was wrong, too old or of another store.",
                counters.windowsRenewed.value),
            counter(
                "window_pages", "Pages asked for of what is before a part.",
                counters.windowPages.value),
            counter(
                "window_checks", "Questions for what the rows before a part come to.",
                counters.windowChecks.value),
            counter(
                "repairs", "Times that all rows of a device's channel were compared.",
                counters.repairs.value),
            counter(
                "segment_repairs", "Times that its segments were compared first.",
                counters.segmentRepairs.value),
            counter(
                "convergence_mismatches", "Times that a device's rows were not the channel's.",
                counters.mismatches.value),
        ]
    }
}
