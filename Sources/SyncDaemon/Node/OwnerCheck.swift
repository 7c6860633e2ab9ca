// Who else may put something in the place of what decides who comes in: owners and directories.

import Glibc

extension Examination {
    /// Adds what is another user's, or stands in a directory that others may write.
    ///
    /// Root, who runs this, and the owner of the data, who is whom the daemon runs as, may.
    mutating func lookAtOwners() {
        var trusted: Set<UInt32> = [0, geteuid()]
        if let owner = DataDirectory.owner(of: configuration.directory) {
            trusted.insert(owner.user)
        }
        var places = secretFiles
        if let file { places.insert((.file(path: file, line: 1), file), at: 0) }
        if configuration.storeKind.isDurable {
            let source = configuration.sources["store.directory"] ?? .standard
            places.append((source, configuration.directory))
        }
        var seen: Set<String> = []
        for place in places {
            for node in FileNode.way(to: place.path) where seen.insert(node.path).inserted {
                if !trusted.contains(node.user) {
                    warnings.append(
                        .ownedByAnother(place.source, path: node.path, user: node.user))
                } else if node.isOpenDirectory, node.path != place.path {
                    warnings.append(
                        .directoryWritableByOthers(
                            place.source, path: node.path, of: place.path))
                }
            }
        }
    }
}

/// A file, directory or link on the way to a file.
private struct FileNode {
    let path: String
    let user: UInt32
    /// Whether others than its owner may take a file out of it, and put one in.
    ///
    /// What root's group may is nobody's else.
    let isOpenDirectory: Bool

    /// - Returns: `nil` for what is not there, and for pipes, which a shell makes.
    init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        guard [S_IFREG, S_IFDIR, S_IFLNK].contains(kind) else { return nil }
        self.path = path
        user = status.st_uid
        let writers = status.st_gid == 0 ? S_IWOTH : S_IWGRP | S_IWOTH
        isOpenDirectory =
            kind == S_IFDIR && status.st_mode & S_ISVTX == 0 && status.st_mode & writers != 0
    }

    /// All whose owners and writers decide what is found under a path, from the root on: as it is
    /// written, and as its links lead.
    static func way(to path: String) -> [FileNode] {
        let written = path.hasPrefix("/") ? prefixes(of: path) : []
        return written + (FileSystem.resolved(path).map(prefixes(of:)) ?? [])
    }

    private static func prefixes(of path: String) -> [FileNode] {
        var prefix = ""
        return [FileNode("/")].compactMap(\.self)
            + path.split(separator: "/").compactMap { part in
                prefix += "/\(part)"
                return FileNode(prefix)
            }
    }
}
