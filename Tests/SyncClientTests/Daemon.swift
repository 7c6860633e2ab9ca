// The real daemon as a process of a test, with a data folder of its own.

import Foundation

/// A daemon that can be stopped and started again on the same port and data.
actor Daemon {
    private let folder: URL
    private var process: ChildProcess
    let port: UInt16

    nonisolated var url: String { "ws://127.0.0.1:\(port)" }

    /// The variable `SYNCDAEMON_BINARY` names another daemon than the one beside the tests.
    private static var binary: String {
        get throws {
            try ProcessInfo.processInfo.environment["SYNCDAEMON_BINARY"]
                ?? Products.path(of: "syncdaemon")
        }
    }

    /// - Parameter configuration: The text of its file.
    init(configuration: String = "") async throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "syncdaemon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try configuration.write(
            to: folder.appending(path: "sync.ini"), atomically: true, encoding: .utf8)
        (process, port) = try await Self.start(in: folder, port: 0)
    }

    deinit {
        process.send(signal: SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Sends a signal, waits for the end, and starts it again.
    func restart(with signal: Int32) async throws {
        process.send(signal: signal)
        _ = try await process.ended()
        (process, _) = try await Self.start(in: folder, port: port)
    }

    private static func start(
        in folder: URL, port: UInt16
    ) async throws -> (ChildProcess, UInt16) {
        let process = try ChildProcess(
            binary,
            [
                "serve", "--listen", "127.0.0.1:\(port)", "--data-dir", folder.path(), "--config",
                folder.appending(path: "sync.ini").path(),
            ])
        let ready = "syncdaemon: listening on http://127.0.0.1:"
        let found = try await eventually("the daemon listens") { () throws -> UInt16? in
            if let line = process.lines.first(where: { $0.hasPrefix(ready) }) {
                return UInt16(line.dropFirst(ready.count))
            }
            guard process.isRunning else {
                throw NeverHappened(
                    description: "The daemon ended: \(process.errors.joined(separator: "\n"))")
            }
            return nil
        }
        return (process, found)
    }
}
