// The wire to a server: what is sent waits for no answer until somebody needs one.

import CLibPQ
import Glibc
import SQL

/// A connection, with what was sent and has no answer yet.
///
/// libpq's pipeline mode: the server carries out statements in order, and none after one that
/// failed; the first failure is told by ``settle(_:)``. Every wait ends when nothing came for
/// ``patience`` milliseconds, because a server that was frozen still acknowledges TCP.
///
/// - Source: PostgreSQL 15, "34.5. Pipeline Mode".
@safe final class PostgresPipeline {
    private let connection: OpaquePointer
    /// How long a wait may last without a byte from the server, in milliseconds.
    var patience: Int32
    /// Called each second that a wait lasts.
    var onWait: (() -> Void)?
    /// Told how long a wait has lasted, each time that it was as long as ``patience`` again, in
    /// milliseconds: whether to wait on.
    var onSilence: ((Int32) -> Bool)?
    /// The number of the statement that was sent last, from 1 on.
    private(set) var lastSent = 0
    /// The statements up to this one have their answers.
    private var lastAnswered = 0
    private var awaited: Int { lastSent - lastAnswered }
    private var arguments = PostgresArguments()
    /// Whether nothing can be had of it any more.
    private(set) var isLost = false
    /// The names under which the server knows statements, by their numbers.
    private var names: [Int: String] = [:]
    /// Those that were sent to be compiled and have no answer yet.
    private var compiling: [Int] = []
    let warnings = PostgresWarnings()
    /// Makes names: one that may or may not be known is not used again.
    private var nameCount = 0

    /// Connects, within ``patience`` for each step of it.
    ///
    /// - Parameter target: A URL or a list of keywords, as libpq has them.
    init(_ target: String, patience: Int32) throws(PostgresError) {
        self.patience = patience
        guard let made = unsafe PQconnectStart(target) else {
            throw PostgresError(state: "", message: "out of memory", isLost: true)
        }
        unsafe connection = unsafe made
        try finishConnecting()
        guard unsafe PQsetnonblocking(connection, 1) == 0 else { throw lost() }
        // Notices are not for standard error.
        unsafe warnings.listen(to: connection)
    }

    deinit {
        unsafe PQfinish(connection)
    }

    /// Connects to the first of a target's servers that takes the caller in.
    ///
    /// - Parameter patience: For all of them.
    static func first(
        of target: String, patience: Int32
    ) throws(PostgresError) -> PostgresPipeline {
        let servers = (try? PostgresTarget(target).servers) ?? [target]
        var messages: [String] = []
        for server in servers {
            do throws(PostgresError) {
                return try PostgresPipeline(server, patience: patience / Int32(servers.count))
            } catch {
                messages.append(error.message)
            }
        }
        throw PostgresError(
            state: "", message: messages.joined(separator: "; "), isLost: true)
    }

    private func finishConnecting() throws(PostgresError) {
        guard unsafe PQstatus(connection) != CONNECTION_BAD else { throw lost() }
        var step = PGRES_POLLING_WRITING
        while step != PGRES_POLLING_OK {
            switch step {
            case PGRES_POLLING_READING: try wait(for: Int16(POLLIN))
            case PGRES_POLLING_WRITING: try wait(for: Int16(POLLOUT))
            default: throw lost()
            }
            step = unsafe PQconnectPoll(connection)
        }
    }

    /// As libpq has it, such as 150018 for 15.18.
    var serverVersion: Int32 { unsafe PQserverVersion(connection) }

    /// Whether a transaction is open, or failed and not yet rolled back; `false` without a
    /// connection.
    var isInTransaction: Bool {
        switch unsafe PQtransactionStatus(connection) {
        case PQTRANS_ACTIVE, PQTRANS_INTRANS, PQTRANS_INERROR: !isLost
        default: false
        }
    }

    // MARK: Sending

    /// Queues the compiling of a statement, unless the server knows it.
    func compile(_ statement: Int, _ sql: String) throws(PostgresError) {
        guard names[statement] == nil else { return }
        try beginPipeline()
        nameCount += 1
        let name = "s\(nameCount)"
        guard unsafe PQsendPrepare(connection, name, sql, 0, nil) == 1 else { throw lost() }
        lastSent += 1
        names[statement] = name
        compiling.append(statement)
    }

    /// Queues a call of a statement that was compiled.
    func send(_ statement: Int, _ values: [SQLValue]) throws(PostgresError) {
        arguments.set(values)
        try sendArguments(of: statement)
    }

    /// The same, with values in binary.
    func send(_ statement: Int, _ values: [[UInt8]]) throws(PostgresError) {
        arguments.set(values)
        try sendArguments(of: statement)
    }

    private func sendArguments(of statement: Int) throws(PostgresError) {
        try beginPipeline()
        let name = names[statement] ?? ""
        guard unsafe arguments.send(name, to: connection) == 1 else { throw lost() }
        lastSent += 1
    }

    private func beginPipeline() throws(PostgresError) {
        guard !isLost else { throw lost() }
        guard unsafe PQpipelineStatus(connection) == PQ_PIPELINE_OFF else { return }
        guard unsafe PQenterPipelineMode(connection) == 1 else { throw lost() }
    }

    // MARK: Answers

    /// Waits for the answers to everything that was sent, and lends that of the last statement.
    func settle<Value>(
        _ body: (borrowing PostgresResult) -> Value
    ) throws(PostgresError) -> Value? {
        var value: Value?
        try collect { number, result in
            if number == lastSent { value = body(result) }
        }
        return value
    }

    /// The same, and lends each with the number of its statement.
    func collect(_ body: (Int, borrowing PostgresResult) -> Void) throws(PostgresError) {
        try beginPipeline()
        guard unsafe PQpipelineSync(connection) == 1 else { throw lost() }
        try flush()
        var failure: PostgresError?
        while true {
            // Each statement's answer ends with none, and the last answer is the sync's.
            guard let result = try nextResult() else { continue }
            switch result.status {
            case PGRES_PIPELINE_SYNC:
                defer { compiling = [] }
                guard let failure else { return }
                // Whether they were compiled before the failure does not matter.
                for statement in compiling { names[statement] = nil }
                throw failure
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                lastAnswered += 1
                body(lastAnswered, result)
            case PGRES_PIPELINE_ABORTED: lastAnswered += 1
            default:
                lastAnswered += 1
                let error = PostgresError(result)
                if error.isLost {
                    isLost = true
                    throw error
                }
                failure = failure ?? error
            }
        }
    }

    /// The same, when nobody needs the last answer; at once when nothing is under way.
    func settle() throws(PostgresError) {
        guard awaited > 0 else { return }
        _ = try settle { _ in }
    }

    /// Parameters and columns of a compiled statement, as OIDs of types.
    func describe(
        _ statement: Int
    ) throws(PostgresError) -> (parameters: [UInt32], columns: [UInt32]) {
        try beginPipeline()
        let name = names[statement] ?? ""
        guard unsafe PQsendDescribePrepared(connection, name) == 1 else { throw lost() }
        lastSent += 1
        return try settle { ($0.parameterTypes, $0.columnTypes) } ?? ([], [])
    }

    /// Runs one or more statements that return nothing.
    func execute(_ sql: String) throws(PostgresError) {
        try settle()
        if unsafe PQpipelineStatus(connection) != PQ_PIPELINE_OFF {
            guard unsafe PQexitPipelineMode(connection) == 1 else { throw lost() }
        }
        guard !isLost, unsafe PQsendQuery(connection, sql) == 1 else { throw lost() }
        try flush()
        var failure: PostgresError?
        while let result = try nextResult() {
            switch result.status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            default: failure = failure ?? PostgresError(result)
            }
        }
        if let failure {
            isLost = isLost || failure.isLost
            throw failure
        }
    }

    private func nextResult() throws(PostgresError) -> PostgresResult? {
        while unsafe PQisBusy(connection) == 1 {
            try wait(for: Int16(POLLIN))
            guard unsafe PQconsumeInput(connection) == 1 else { throw lost() }
        }
        if let handle = unsafe PQgetResult(connection) { return unsafe PostgresResult(handle) }
        guard unsafe PQstatus(connection) == CONNECTION_OK else { throw lost() }
        return nil
    }

    private func flush() throws(PostgresError) {
        while true {
            switch unsafe PQflush(connection) {
            case 0: return
            case 1:
                // A server that cannot get rid of answers takes no more questions.
                let events = try wait(for: Int16(POLLIN | POLLOUT))
                if events & Int16(POLLIN) != 0 {
                    guard unsafe PQconsumeInput(connection) == 1 else { throw lost() }
                }
            default: throw lost()
            }
        }
    }

    // MARK: Waiting

    /// - Returns: What the socket is ready for.
    @discardableResult
    private func wait(for events: Int16) throws(PostgresError) -> Int16 {
        var socket = pollfd(fd: unsafe PQsocket(connection), events: events, revents: 0)
        var (left, rounds) = (patience, 0 as Int32)
        while true {
            let slice = min(left, 1000)
            let count = unsafe poll(&socket, 1, slice)
            if count > 0 { return socket.revents }
            if count < 0, errno == EINTR { continue }
            guard count == 0 else { throw lost() }
            left -= slice
            if left <= 0 {
                rounds += 1
                guard onSilence?(rounds * patience) == true else {
                    isLost = true
                    throw .silence(milliseconds: rounds * patience)
                }
                left = patience
            }
            onWait?()
        }
    }

    /// Gives the connection up; what was under way may have been carried out, or not.
    private func lost() -> PostgresError {
        isLost = true
        let message = unsafe String(cString: PQerrorMessage(connection))
        let lines = message.split(separator: "\n").map { $0.drop { $0 == "\t" || $0 == " " } }
        return PostgresError(state: "", message: lines.joined(separator: "; "), isLost: true)
    }
}
