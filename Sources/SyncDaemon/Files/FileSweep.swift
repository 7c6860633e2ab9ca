// What a start does with contents of which the database knows nothing: it puts them aside.
//
// They may be all that is left of a tenant's files, when the database is the wrong one: so they
// stay for a month, and are back in their place with the database that knows them.

import EventModel
import Glibc

/// What a start found, and what became of it.
struct FileSweep: Hashable, Sendable {
    /// So many files, and their bytes.
    struct Sum: Hashable, Sendable {
        var files = 0
        var bytes = 0

        mutating func add(_ size: Int) {
            files += 1
            bytes += size
        }
    }

    /// In their place, and known.
    var kept = Sum()
    /// Put aside now.
    var putAside = Sum()
    /// Put aside by an earlier start, and known to this one.
    var broughtBack = Sum()
    /// Put aside for so long that they are removed.
    var forgotten = Sum()
    /// All that is aside now.
    var aside = Sum()
    /// Unknown, and in their place because they could not be moved.
    var stuck = Sum()
}

extension FileDirectory {
    /// Where contents are of which the database does not know.
    static let asideName = "unknown"

    /// Removes what is not whole: nobody was told that it is there.
    func discardParts() {
        for name in names() where name.hasSuffix(Self.partEnding) {
            if let id = FileID(name.dropLast(Self.partEnding.count)) { discard(id) }
        }
    }

    /// Whole files in their place, without a question whether they are known.
    func survey() -> FileSweep.Sum {
        names().reduce(into: FileSweep.Sum()) { sum, name in
            if let size = FileID(name).flatMap({ size(ofWhole: $0) }) { sum.add(size) }
        }
    }

    /// Puts aside files of which nobody knows, and back those of which somebody does; what was not
    /// made here stays.
    ///
    /// - Parameters:
    ///   - seconds: Now, in Unix seconds.
    ///   - knows: Asked about every file before the first is moved.
    func sweep(
        at seconds: Int64, knows: (FileID) throws(StoreError) -> Bool
    ) throws(StoreError) -> FileSweep {
        var (own, unknown, away): ([FileID], [FileID], [FileID]) = ([], [], [])
        for id in names().compactMap({ FileID($0) }) where size(ofWhole: id) != nil {
            if try knows(id) { own.append(id) } else { unknown.append(id) }
        }
        for id in namesAside().compactMap({ FileID($0) }) where try knows(id) { away.append(id) }

        var found = FileSweep()
        for id in own { found.kept.add(size(ofWhole: id) ?? 0) }
        let place = path + "/" + Self.asideName
        guard let aside = try? FileDirectory(place, isMade: !unknown.isEmpty) else {
            for id in unknown { found.stuck.add(size(ofWhole: id) ?? 0) }
            return found
        }
        for id in away {
            let size = aside.size(ofWhole: id) ?? 0
            if aside.move(id, to: self) { found.broughtBack.add(size) }
        }
        for id in unknown {
            let size = size(ofWhole: id) ?? 0
            if move(id, to: aside, at: seconds) {
                found.putAside.add(size)
            } else {
                found.stuck.add(size)
            }
        }
        aside.forget(before: seconds - Limits.unknownFileSeconds, into: &found)
        return found
    }

    private func namesAside() -> [String] {
        guard let aside = try? FileDirectory(path + "/" + Self.asideName, isMade: false) else {
            return []
        }
        return aside.names()
    }

    /// Removes what was put aside before a moment, and counts the rest.
    private func forget(before seconds: Int64, into found: inout FileSweep) {
        for id in names().compactMap({ FileID($0) }) {
            guard let status = status(ofWhole: id) else { continue }
            if Int64(status.st_mtim.tv_sec) < seconds {
                remove(id)
                found.forgotten.add(Int(status.st_size))
            } else {
                found.aside.add(Int(status.st_size))
            }
        }
    }
}
