// Reading what the configuration names: its file, and the files of secrets.

import EventModel
import Glibc

/// The text of a configuration file, and the path that errors name.
struct ConfigurationFile: Hashable, Sendable {
    let path: String
    let text: String
    /// Whether other users of this machine may read it.
    var isForOthers = false
    /// Whether it is this process's user's, who is not root.
    var isOurs = false
    /// Whether others than its owner may write it.
    var isWritable = false

    private static let bytesMax = 1024 * 1024

    /// - Parameter isOptional: Whether the file may be absent; then there is no result.
    static func read(
        _ path: String, isOptional: Bool
    ) throws(ConfigurationError) -> ConfigurationFile? {
        let content: Content
        switch bytes(of: path, atMost: bytesMax) {
        case .failure(let failure):
            if isOptional, failure.code == ENOENT { return nil }
            throw .unreadableFile(path: path, reason: failure.reason)
        case .success(let read): content = read
        }
        guard let text = String(validating: content.bytes, as: UTF8.self) else {
            throw .notText(path: path)
        }
        return ConfigurationFile(
            path: path, text: text, isForOthers: content.isForOthers, isOurs: content.isOurs,
            isWritable: content.isWritable)
    }

    /// The secret in a file of its own.
    static func secret(at path: String) -> SecretFile {
        switch bytes(of: path, atMost: Limits.webKeySetBytesMax) {
        case .failure(let failure): .unreadable(reason: failure.reason)
        case .success(let content):
            String(validating: content.bytes, as: UTF8.self).map {
                .text(
                    SecretText(
                        text: $0, isForOthers: content.isForOthers, isOurs: content.isOurs,
                        isWritable: content.isWritable))
            } ?? .unreadable(reason: "It is not text")
        }
    }

    private struct Content {
        var bytes: [UInt8] = []
        var isForOthers = false
        var isOurs = false
        var isWritable = false
    }

    private struct ReadFailure: Error {
        let code: Int32
        let reason: String

        init(_ code: Int32, _ reason: String? = nil) {
            self.code = code
            self.reason = reason ?? systemMessage(code)
        }
    }

    private static func bytes(
        of path: String, atMost limit: Int
    ) -> Result<Content, ReadFailure> {
        // Without waiting for somebody at the other end of a pipe.
        let opened = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return .failure(ReadFailure(errno)) }
        let file = FileDescriptor(owning: opened)
        var content = Content()
        var status = stat()
        if unsafe fstat(file.rawValue, &status) == 0 {
            content.isOurs = status.st_uid == geteuid() && geteuid() != 0
            // Of root's files the group may be the daemon's, which has to read them.
            let others = content.isOurs ? S_IRGRP | S_IROTH : S_IROTH
            content.isForOthers = status.st_mode & others != 0
            // Not of pipes: those of a shell's <(…) are nobody else's.
            content.isWritable =
                status.st_mode & S_IFMT == S_IFREG && status.st_mode & (S_IWGRP | S_IWOTH) != 0
        }
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe Glibc.read(file.rawValue, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var wish = pollfd(fd: file.rawValue, events: Int16(POLLIN), revents: 0)
                let answer = unsafe poll(&wish, 1, Int32(Limits.pipeMilliseconds))
                if answer > 0 { continue }
                return .failure(ReadFailure(0, "It is a pipe, and nobody writes into it"))
            }
            guard count >= 0 else { return .failure(ReadFailure(errno)) }
            if count == 0 { break }
            content.bytes += chunk.prefix(count)
            if content.bytes.count > limit {
                let name = limit == bytesMax ? "1 MiB" : "\(limit) bytes"
                return .failure(ReadFailure(0, "It is larger than \(name)"))
            }
        }
        if content.bytes.isEmpty, status.st_mode & S_IFMT == S_IFIFO {
            return .failure(ReadFailure(0, "It is a pipe, and nobody writes into it"))
        }
        return .success(content)
    }
}
