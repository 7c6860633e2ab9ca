// Runs a program for a test and keeps what it writes.

import Foundation

/// Where the package's programs are: beside the running tests.
enum Products {
    static func path(of program: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().appending(path: program).path()
    }
}

/// A process whose output is kept, line by line; it ends with its owner.
final class ChildProcess: Sendable {
    private let process = Process()
    private let output: Output
    private let complaints: Output

    /// What the process has written, without a line that is not complete yet.
    var lines: [String] { output.lines }
    /// The same of its standard error.
    var errors: [String] { complaints.lines }
    var isRunning: Bool { process.isRunning }

    /// - Parameters:
    ///   - environment: All of it but the sanitizers' options; `nil`: that of the tests.
    ///   - input: What it reads; `nil`: nothing.
    init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil,
        input: Pipe? = nil
    ) throws {
        output = try Output()
        complaints = try Output()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        if let environment {
            let options = ProcessInfo.processInfo.environment
                .filter { $0.key.hasSuffix("SAN_OPTIONS") }
            process.environment = options.merging(environment) { $1 }
        }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output.file
        process.standardError = complaints.file
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    func send(signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Waits until it has ended.
    ///
    /// - Returns: Its exit code; a signal's number, negative, when it ended by that.
    func ended() async throws -> Int32 {
        try await eventually("the process ends") { !process.isRunning }
        return process.terminationReason == .exit
            ? process.terminationStatus : -process.terminationStatus
    }
}

/// What a process writes, in a file without a name.
///
/// Not a pipe: other processes that start at the same moment would inherit it and keep it open.
private final class Output: Sendable {
    let file: FileHandle

    init() throws {
        let template = NSTemporaryDirectory() + "output-XXXXXX"
        var path = Array(template.utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw NeverHappened(description: "No temporary file.") }
        unlink(path)
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// All complete lines so far.
    var lines: [String] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        // `pread` leaves the writer's position alone.
        while case let count = pread(
            file.fileDescriptor, &chunk, chunk.count, off_t(bytes.count)), count > 0
        {
            bytes += chunk[..<count]
        }
        let complete = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
        return String(decoding: complete, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
