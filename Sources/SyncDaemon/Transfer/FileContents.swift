// Contents of files on their way from one directory to another.

import EventModel

/// Brings contents by their ids, each whole or not at all; memory does not grow with them.
final class FileContents {
    private let source: FileDirectory
    private let target: FileDirectory
    /// Whether anything may come from elsewhere: else contents are there already, or nowhere.
    private let hasSource: Bool
    private let bytesKeptFree: Int
    /// To whose owner the files are given; `nil`: they stay their maker's.
    private let owner: String?
    /// That were copied.
    private(set) var bytes = 0

    /// - Parameters:
    ///   - source: `nil`: what is not in the target is nowhere.
    ///   - target: It is made when it is absent.
    ///   - bytesKeptFree: On the target's disk.
    ///   - owner: A directory whose owner gets what is made.
    init(
        from source: String?, to target: String, keepingFree bytesKeptFree: Int = 0,
        ownerOf owner: String? = nil
    ) throws(FileError) {
        self.target = try FileDirectory(target)
        self.source = try FileDirectory(source ?? target, isMade: false)
        hasSource = source != nil
        self.bytesKeptFree = bytesKeptFree
        self.owner = owner
        if let owner { FileSystem.entrust(directory: target, toOwnerOf: owner) }
    }

    /// Has a file's contents in the target.
    ///
    /// What is there already stays: a copy that broke off goes on.
    ///
    /// - Parameter sum: What they have to come to, if that is known.
    /// - Returns: What they come to; `nil` when nobody has them.
    func bring(_ file: StoredFile, sum: UInt64?) throws(FileError) -> UInt64? {
        let found: UInt64
        if target.size(ofWhole: file.id) == file.size {
            found = try read(file, from: target)
            try check(found, is: sum, file, in: target.path)
        } else {
            guard hasSource, let size = source.size(ofWhole: file.id) else { return nil }
            guard size == file.size else {
                throw .failed(
                    path: "\(source.path)/\(file.id.text)",
                    reason: "it has \(size) bytes, and not \(file.size)")
            }
            found = try copy(file, sum)
        }
        // Also of what an earlier copy left so.
        if let owner { FileSystem.entrust("\(target.path)/\(file.id.text)", ofFilesIn: owner) }
        return found
    }

    private func copy(_ file: StoredFile, _ sum: UInt64?) throws(FileError) -> UInt64 {
        // What somebody left who was killed, or another program put there.
        target.discard(file.id)
        target.remove(file.id)
        let output = try target.begin(file.id, ofUpTo: file.size, keepingFree: bytesKeptFree)
        do throws(FileError) {
            let found = try read(file, from: source) { part throws(FileError) in
                try target.write(part, to: output)
            }
            try check(found, is: sum, file, in: source.path)
            try target.finish(file.id, output)
            bytes += file.size
            return found
        } catch {
            target.discard(file.id)
            throw error
        }
    }

    /// - Returns: The checksum of the contents.
    private func read(
        _ file: StoredFile, from directory: borrowing FileDirectory,
        _ body: ([UInt8]) throws(FileError) -> Void = { _ in }
    ) throws(FileError) -> UInt64 {
        let input = try directory.open(file.id)
        var sum = LineSum()
        while true {
            // The sum is of pieces of one length.
            var part: [UInt8] = []
            while part.count < Limits.fileChunkBytes {
                let more = try directory.read(input, atMost: Limits.fileChunkBytes - part.count)
                if more.isEmpty { break }
                part += more
            }
            if part.isEmpty { return sum.value }
            sum.add(part)
            try body(part)
        }
    }

    private func check(
        _ found: UInt64, is sum: UInt64?, _ file: StoredFile, in path: String
    ) throws(FileError) {
        guard sum == nil || sum == found else {
            throw .failed(
                path: "\(path)/\(file.id.text)", reason: "its contents are not those exported")
        }
    }
}

extension FileSystem {
    /// Makes a directory its parent's owner's; who may not do so leaves it.
    fileprivate static func entrust(directory: String, toOwnerOf parent: String) {
        try? own(directory, mode: 0o700, as: parent)
    }

    fileprivate static func entrust(_ file: String, ofFilesIn parent: String) {
        try? own(file, mode: 0o600, as: parent)
    }
}
