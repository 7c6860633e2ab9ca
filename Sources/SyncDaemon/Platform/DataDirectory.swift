// The directory of the data as the kernel sees it: whether it can be, and who may look into it.

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
        return unsafe access(path, W_OK | X_OK) == 0 ? nil : systemMessage(errno)
    }

    /// The permissions of a directory; `nil` when it does not exist.
    static func mode(of path: String) -> UInt32? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}

/// What errno means, in words.
func systemMessage(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
}
