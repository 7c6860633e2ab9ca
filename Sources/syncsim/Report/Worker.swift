// A process that lives through some of many seeds: when it crashes, its seed is known.

import Glibc

/// The parent's end of a worker.
final class Worker {
    private let process: pid_t
    let output: Int32
    private var rest: [UInt8] = []
    /// The seed that it is living through.
    private(set) var seed: UInt64
    private var left: Int

    /// Starts one.
    ///
    /// - Returns: `nil` when the system has no room for another process.
    init?(_ program: String, first: UInt64, count: Int, bug: PlantedBug?) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
        var arguments = [program, "--work", "\(first)", "--seeds", "\(count)"]
        if let bug { arguments += ["--bug", bug.rawValue] }
        var pid: pid_t = 0
        let status = unsafe withCStrings(arguments) { pointers in
            unsafe posix_spawn(&pid, program, &actions, nil, pointers, environ)
        }
        unsafe posix_spawn_file_actions_destroy(&actions)
        close(ends[1])
        guard status == 0 else {
            close(ends[0])
            return nil
        }
        process = pid
        output = ends[0]
        seed = first
        left = count
    }

    /// Reads what it has written.
    ///
    /// - Returns: The results that are complete, and whether it has ended.
    func read() -> (results: [SeedResult], isOver: Bool) {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let count = unsafe Glibc.read(output, &chunk, chunk.count)
        guard count > 0 else { return ([], true) }
        rest += chunk[..<count]
        var results: [SeedResult] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if let result = SeedResult(String(decoding: rest[..<end], as: UTF8.self)) {
                results.append(result)
                left -= 1
                seed += 1
            }
            rest.removeFirst(end + 1)
        }
        return (results, false)
    }

    /// Takes leave of a process that has ended.
    ///
    /// - Returns: The seed that killed it, if one did.
    func end() -> UInt64? {
        close(output)
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
        return left > 0 ? seed : nil
    }
}

/// Lends an array of C strings that ends with a null pointer.
func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(pointers)
}
