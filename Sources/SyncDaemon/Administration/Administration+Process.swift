// What operators ask of the process and of its files.

import EventModel
import Glibc
import JSON
import Synchronization

extension Administration {
    func status() -> [UInt8] {
        let health = around.health
        return Self.json { json in
            json.member("version", Release.version)
            json.member("pid", getpid())
            json.member("since", LogText.timestamp(LogTime(seconds: started, nanoseconds: 0)))
            json.member("serves", health.isServing.load(ordering: .relaxed))
            json.member("reactors", around.reactors.mailboxes.count)
            json.member("log", log.level.rawValue)
            json.member("databaseBytes", around.path.map(FileSystem.size))
            json.member("logBytes", around.path.map { FileSystem.size($0 + "-wal") })
            json.beginArray("troubles")
            for trouble in health.troubles {
                json.beginObject()
                json.member("cause", trouble.cause.rawValue)
                json.member("text", trouble.text)
                json.endObject()
            }
            json.endArray()
        }
    }

    // MARK: The log

    func logLevel() -> [UInt8] {
        Self.json { $0.member("level", log.level.rawValue) }
    }

    func setLogLevel(_ request: AdminRequest) throws(AdminError) -> [UInt8] {
        guard let level = LogLevel(rawValue: try request.text("level")) else {
            let words = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("level", "one of \(words)")
        }
        let before = log.level
        log.setLevel(level)
        return Self.json { json in
            json.member("level", level.rawValue)
            json.member("before", before.rawValue)
        }
    }

    // MARK: The process

    func reload() throws(AdminError) -> [UInt8] {
        let outcomes = WorkQueue<ReloadOutcome>(capacity: 1)
        around.orders.reload { _ = outcomes.put($0) }
        let patience = UInt64(Limits.reloadSeconds + Limits.adminSeconds) * 1000
        guard let outcome = outcomes.take(atMost: 1, waitingAtMost: patience).first else {
            throw .tooSlow("The configuration is not in force yet: look at the log.")
        }
        guard outcome.mistakes.isEmpty else {
            throw .refused(
                "The configuration was not reloaded, the old one holds: "
                    + outcome.mistakes.joined(separator: " "))
        }
        return Self.json { json in
            json.member("changed", outcome.changed)
            json.member("needRestart", outcome.waiting)
        }
    }

    func drain() -> [UInt8] {
        around.orders.stop()
        return Self.json { $0.member("draining", true) }
    }

    // MARK: The files

    func checkpoint() throws(AdminError) -> [UInt8] {
        let log =
            try database(
                "a log to empty", "PostgreSQL empties its log by itself (CHECKPOINT does at once)")
            + "-wal"
        let before = FileSystem.size(log)
        try keepUp(.checkpoint, seconds: Limits.checkpointSeconds)
        let after = FileSystem.size(log)
        return Self.json { json in
            json.member("logBytesBefore", before)
            json.member("logBytes", after)
            // A reader, or a copy, still needs what is left.
            json.member("isEmpty", after == 0)
        }
    }

    func compact() throws(AdminError) -> [UInt8] {
        let path = try database(
            "a file that could shrink",
            "PostgreSQL uses free space again by itself (VACUUM FULL gives it back)")
        let before = FileSystem.size(path)
        try keepUp(.compact, seconds: Limits.compactSeconds)
        return Self.json { json in
            json.member("databaseBytesBefore", before)
            json.member("databaseBytes", FileSystem.size(path))
        }
    }

    private func keepUp(
        _ work: LedgerDoor.Upkeep, seconds: Int
    ) throws(AdminError) {
        let done = WorkQueue<Bool>(capacity: 1)
        guard around.ledger.requests.put(.upkeep(work, told: { _ = done.put($0) })) else {
            throw .busy
        }
        switch done.take(atMost: 1, waitingAtMost: UInt64(seconds) * 1000).first {
        case true?: return
        case false? where around.health.has(.diskFull):
            throw .refused(
                "The disk is full, and there was no room to do it. Make some: the daemon looks "
                    + "once a second, and gives back by itself what it can.")
        case false?: throw .refused("The store refused it: status and the log say what is wrong.")
        case nil: throw .tooSlow("It goes on: look again later.")
        }
    }

    func backUp(_ request: AdminRequest) throws(AdminError) -> [UInt8] {
        let source = try database(
            "anything to back up",
            "back the database up as PostgreSQL does (pg_dump, pg_basebackup)")
        let target = try request.text("path")
        guard target.hasPrefix("/"), !target.hasSuffix("/") else {
            throw .invalid("path", "the absolute path of a file")
        }
        let summary: DatabaseSummary
        do throws(DatabaseFileError) {
            summary = try PartialFile.filling(target) { part throws(DatabaseFileError) in
                try DatabaseFile.copy(source, isShared: true, to: part)
            }
        } catch {
            throw .notWritten(target, error)
        }
        return Self.json { json in
            json.member("path", target)
            json.member("bytes", FileSystem.size(target))
            json.member("channels", summary.channels)
            json.member("messages", summary.messages)
            json.member("actions", summary.actions)
            json.member("files", summary.files)
            json.member("through", quoted: summary.last.rawValue)
        }
    }

    /// - Parameters: As ``AdminError/noDatabaseFile(_:_:)`` has them.
    private func database(_ lack: String, _ other: String) throws(AdminError) -> String {
        guard let path = around.path else {
            // Only a database server has terms.
            throw .noDatabaseFile(lack, around.ledger.term > 0 ? other : nil)
        }
        return path
    }

    // MARK: Webhooks

    func retry(_ request: AdminRequest) throws(AdminError) -> [UInt8] {
        let name = try request.text("name")
        guard let waiting = WebhookList.retry(name, of: webhooks, around.interceptors) else {
            if WebhookList.isRemoved(name, of: webhooks) { throw .webhookRemoved(name) }
            throw .notFound("There is no webhook or interceptor of this name; webhooks lists them.")
        }
        return Self.json { $0.member("waiting", waiting) }
    }

    func replay(_ request: AdminRequest) throws(AdminError) -> [UInt8] {
        let name = try request.text("name")
        guard let events = WebhookList.replay(name, of: webhooks) else {
            if WebhookList.isRemoved(name, of: webhooks) { throw .webhookRemoved(name) }
            throw .notFound("There is no webhook of this name; webhooks lists them.")
        }
        return Self.json { $0.member("events", events) }
    }
}
