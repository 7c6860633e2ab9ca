// What is in a directory.

import Glibc

enum DirectoryListing {
    /// The names in a directory, in no order, without its own and its parent's; `nil`: it cannot
    /// be read, and `errno` says why.
    static func names(in path: String) -> [String]? {
        guard let directory = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
