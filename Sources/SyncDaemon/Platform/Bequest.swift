// What the process leaves to itself when it begins anew in its own place (execve(2)).

import Basis
import Glibc

/// Bytes that outlive the program, and nobody else's eyes.
enum Bequest {
    /// Names the descriptor.
    private static let variable = "BEQUEST_FD"

    /// Leaves bytes for ``take()``.
    ///
    /// - Returns: Whether the kernel had room for them.
    static func leave(_ bytes: [UInt8]) -> Bool {
        let name = "/syncdaemon-\(getpid())"
        // Memory that has a name for a moment.
        unsafe shm_unlink(name)
        let number = unsafe shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0o600)
        guard number >= 0 else { return false }
        unsafe shm_unlink(name)
        _ = fcntl(number, F_SETFD, 0)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(number, $0.baseAddress, $0.count)
            }
            guard count > 0 else {
                close(number)
                return false
            }
            rest = rest.dropFirst(count)
        }
        lseek(number, 0, SEEK_SET)
        return unsafe setenv(variable, String(number), 1) == 0
    }

    /// What was left, once; nothing otherwise.
    static func take() -> [UInt8] {
        guard let text = unsafe getenv(variable), let number = Int32(unsafe String(cString: text))
        else { return [] }
        unsafe unsetenv(variable)
        let descriptor = FileDescriptor(owning: number)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe read(descriptor.rawValue, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
        }
    }
}
