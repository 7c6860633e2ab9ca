// The directory of the data as the kernel sees it: whether it can be, and who may look into it.

import CLinux
import Glibc

enum DataDirectory {
    /// Why a directory cannot be made or written to; `nil` when it can.
    ///
    /// Makes nothing.
    static func obstacle(at path: String) -> String? {
        var path = path
        var status = stat()
        while unsafe stat(path, &status) != 0 {
            guard errno == ENOENT else { return systemMessage(errno) }
            // Parents are made: the first one that exists decides.
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            path = path.hasPrefix("/") ? "/" + parent : parent.isEmpty ? "." : parent
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return "\(path) is \(systemMessage(ENOTDIR).lowercased())"
        }
        guard unsafe access(path, W_OK | X_OK) == 0 else { return systemMessage(errno) }
        // Permissions let root write there.
        let isOfKernel = unsafe sync_is_of_kernel(path) == 1
        return isOfKernel ? "\(path) is the kernel's, and keeps no files" : nil
    }

    /// Whether a path is a symbolic link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether two directories that exist are on different file systems.
    static func areApart(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return unsafe stat(one, &first) == 0 && stat(other, &second) == 0
            && first.st_dev != second.st_dev
    }

    /// The permissions of a directory; `nil` when it does not exist.
    static func mode(of path: String) -> UInt32? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// Whether a directory, or where it will be made, is gone when the machine is switched off.
    ///
    /// - Source: statfs(2): tmpfs and ramfs.
    static func isInMemory(_ path: String) -> Bool {
        var path = path
        while true {
            let answer = unsafe sync_is_in_memory(path)
            guard answer < 0, errno == ENOENT, path.contains("/"), path != "/" else {
                return answer == 1
            }
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            path = path.hasPrefix("/") ? "/" + parent : parent.isEmpty ? "." : parent
        }
    }

    /// Who owns a directory; `nil` when it does not exist.
    static func owner(of path: String) -> FileReader? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return FileReader(user: status.st_uid, group: status.st_gid)
    }
}

/// Somebody whom permissions apply to: not root.
struct FileReader: Hashable, Sendable {
    let user: UInt32
    let group: UInt32

    /// Whether permissions let them read a file; access lists and other groups are not looked at.
    ///
    /// - Parameter path: An absolute one; of what is not there nothing is said.
    func canRead(_ path: String) -> Bool { canReach(path) && may(S_IRUSR, path) }

    /// The same, and to write to it.
    func canChange(_ path: String) -> Bool { canRead(path) && may(S_IWUSR, path) }

    /// Whether they let them begin a program.
    func canRun(_ path: String) -> Bool { canReach(path) && may(S_IXUSR, path) }

    /// Whether they let them list a directory, and make and remove files in it.
    func canFill(_ directory: String) -> Bool {
        canChange(directory) && may(S_IXUSR, directory)
    }

    private func canReach(_ path: String) -> Bool {
        var directory = ""
        for part in path.split(separator: "/").dropLast() {
            directory += "/" + part
            guard may(S_IXUSR, directory) else { return false }
        }
        return true
    }

    /// - Parameter right: As the owner has it; the group's and the others' stand below it.
    private func may(_ right: UInt32, _ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return true }
        let shift = status.st_uid == user ? 0 : status.st_gid == group ? 3 : 6
        return status.st_mode & (right >> UInt32(shift)) != 0
    }
}

/// What errno means, in words.
func systemMessage(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
}
