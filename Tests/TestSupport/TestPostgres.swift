// A PostgreSQL server of the tests' own: Debian's, on a socket in a temporary directory.

import Foundation
import Synchronization

/// A running server, which ends with this process.
///
/// Its disk is not synced: no test cuts its power.
final class TestPostgres: Sendable {
    /// What stands in the way of a server.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The one server of this process, started by whoever asks first.
    static var shared: TestPostgres {
        get throws { try started.withLock { try $0.get() } }
    }

    private static let started = Mutex(Result { try TestPostgres() })
    private static let directoryToRemove = Mutex<String?>(nil)

    /// Holds the socket and the data.
    let directory: String
    private let schemaCount = Mutex(0)

    /// Whom PostgreSQL may run as: it refuses root.
    private static let asOther = [
        "/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
        "--pdeathsig=TERM",
    ]
    private static let asSelf = ["/usr/bin/setpriv", "--pdeathsig=TERM"]

    private static func programs() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let found = versions.compactMap(Int.init).max().map { "\(root)/\($0)/bin" }
        guard let found else {
            throw Failure(description: "no PostgreSQL in \(root): Tools/install-packages test")
        }
        return found
    }

    private init() throws {
        let programs = try Self.programs()
        directory = "/tmp/syncdaemon-postgres-\(ProcessInfo.processInfo.processIdentifier)"
        try? FileManager.default.removeItem(atPath: directory)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        Self.directoryToRemove.withLock { [directory] in $0 = directory }
        atexit { TestPostgres.removeDirectory() }
        if geteuid() == 0 { try Self.run(["/usr/bin/chown", "postgres:", directory]) }
        try Self.run(
            Self.prefix + [
                "\(programs)/initdb", "--auth=trust", "--no-sync", "--encoding=UTF8",
                "--locale=C.UTF-8", "--username=postgres", "--pgdata=\(directory)/data",
            ])
        let server = try Self.start(
            Self.prefix + [
                "\(programs)/postgres", "-D", "\(directory)/data", "-k", directory,
                "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200",
                "-c", "shared_buffers=64MB",
            ], log: directory + "/log")
        try waitUntilReady(server)
    }

    private static var prefix: [String] { geteuid() == 0 ? asOther : asSelf }

    private static func removeDirectory() {
        // The server may still write; what it makes anew is little, and in the temporary directory.
        guard let directory = directoryToRemove.withLock({ $0 }) else { return }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The last line of `postmaster.pid` says how far the server is.
    private func waitUntilReady(_ server: Process) throws {
        while true {
            let state = try? String(
                contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8)
            if state?.contains("\nready") == true { return }
            guard server.isRunning else {
                let log = try? String(contentsOfFile: directory + "/log", encoding: .utf8)
                throw Failure(description: "PostgreSQL did not start: \(log ?? "")")
            }
            usleep(20_000)
        }
    }

    /// Where a connection finds the server.
    var target: String { "host=\(directory) user=postgres dbname=postgres" }

    /// The same, in a schema that may not exist yet.
    func target(schema: String) -> String {
        "\(target) options='-c search_path=\(schema)'"
    }

    /// A name that no other test has.
    func newSchema() -> String {
        schemaCount.withLock { count in
            count += 1
            return "test_\(count)"
        }
    }

    // MARK: Programs

    private static func start(_ command: [String], log: String) throws -> Process {
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(filePath: "/tmp")
        let output = FileHandle(forWritingAtPath: log)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return process
    }

    private static func run(_ command: [String]) throws {
        let log = NSTemporaryDirectory() + "/postgres-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let process = try start(command, log: log)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let output = try? String(contentsOfFile: log, encoding: .utf8)
            throw Failure(description: "\(command.joined(separator: " ")): \(output ?? "")")
        }
    }
}
