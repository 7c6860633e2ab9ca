// What the package for devices may use, so that it builds where no test of this tree runs.

/// Which lines of a file Apple's platforms compile, and what of Linux is in them.
enum Portability {
    /// Folders of the targets that a device's program is made of.
    static let folders = [
        "EventModel", "Basis", "JSON", "SQL", "SQLite", "SyncClient", "SyncModels",
    ].map { "Sources/\($0)" }

    /// Modules that are there on Apple's platforms: the system's, and the package's own.
    private static let modules: Set<Substring> = [
        "Darwin", "Foundation", "Observation", "SwiftUI", "CSQLite", "EventModel", "Basis", "JSON",
        "SQL", "SQLite", "SyncClient", "SyncModels",
    ]

    /// What `Glibc` and `Foundation` have on Linux alone, whole or as the beginning of a name.
    private static let linux: Set<Substring> = [
        "accept4", "pipe2", "dup3", "prctl", "getrandom", "memfd_create", "signalfd", "ppoll",
        "clock_nanosleep", "secure_getenv", "pthread_getaffinity_np", "pthread_setaffinity_np",
        "sched_setaffinity", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "MSG_NOSIGNAL", "O_TMPFILE", "O_PATH",
        "CLOCK_BOOTTIME", "gettid", "copy_file_range", "splice", "fallocate",
        "program_invocation_name",
    ]
    private static let linuxBeginnings = [
        "epoll_", "EPOLL", "eventfd", "timerfd_", "TFD_", "inotify_", "IN_", "lws_", "sd_", "uv_",
        "sodium_", "crypto_", "json_", "__errno_",
    ]

    /// Everything in these files that Apple's platforms would see, and do not have.
    static func breaches(_ files: [SourceFile]) -> [Breach] {
        let hidden = Set(files.flatMap { file in linesForLinux(file).flatMap(declaredTypes) })
        let shown = Set(
            files.flatMap { file in linesForApple(file).map(\.line).flatMap(declaredTypes) })
        let missing = hidden.subtracting(shown)
        return files.flatMap { file in
            linesForApple(file).flatMap { index, line -> [Breach] in
                if let module = HouseRules.importedModule(line) {
                    return modules.contains(module)
                        ? [] : [file.breach(index, "Apple's platforms have no module \(module)")]
                }
                return line.words.compactMap { word in
                    if missing.contains(word) {
                        return file.breach(index, "\(word) is compiled for Linux alone")
                    }
                    let isLinux =
                        linux.contains(word) || linuxBeginnings.contains(where: word.hasPrefix)
                    return isLinux
                        ? file.breach(index, "Apple's platforms have no \(word)") : nil
                }
            }
        }
    }

    private static func linesForApple(_ file: SourceFile) -> [(index: Int, line: Substring)] {
        lines(of: file).filter(\.isSeen).map { ($0.index, $0.line) }
    }

    private static func linesForLinux(_ file: SourceFile) -> [Substring] {
        lines(of: file).filter { !$0.isSeen }.map(\.line)
    }

    private static func lines(
        of file: SourceFile
    ) -> [(index: Int, line: Substring, isSeen: Bool)] {
        var open: [(isSeen: Bool, wasSeen: Bool)] = []
        return file.code.enumerated().compactMap { index, line in
            let text = line.drop { $0 == " " }
            if text.hasPrefix("#if ") {
                let isSeen = holds(text.dropFirst(4))
                open.append((isSeen, isSeen))
            } else if text.hasPrefix("#elseif "), let last = open.popLast() {
                let isSeen = !last.wasSeen && holds(text.dropFirst(8))
                open.append((isSeen, last.wasSeen || isSeen))
            } else if text.hasPrefix("#else"), let last = open.popLast() {
                open.append((!last.wasSeen, true))
            } else if text.hasPrefix("#endif") {
                _ = open.popLast()
            } else {
                return (index, line, open.allSatisfy(\.isSeen))
            }
            return nil
        }
    }

    /// Whether a condition is true on Apple's platforms; what is not known here counts as true.
    private static func holds(_ condition: Substring) -> Bool {
        condition.split(separator: "||").contains { part in
            part.split(separator: "&&").allSatisfy { term in
                let term = term.filter { $0 != " " }
                let isTurned = term.hasPrefix("!")
                let isFalse = falseTerms.contains(isTurned ? String(term.dropFirst()) : term)
                return isFalse == isTurned
            }
        }
    }

    private static let falseTerms: Set<String> = [
        "os(Linux)", "canImport(Glibc)", "canImport(Musl)", "canImport(FoundationEssentials)",
        "canImport(FoundationNetworking)", "URLSESSION", "os(Windows)", "os(Android)",
    ]

    private static let typeKeywords: Set<Substring> = [
        "struct", "class", "enum", "protocol", "actor", "typealias",
    ]

    private static func declaredTypes(_ line: Substring) -> [Substring] {
        guard !line.hasPrefix(" ") else { return [] }
        let words = line.words
        guard let keyword = words.firstIndex(where: typeKeywords.contains),
            keyword + 1 < words.count
        else { return [] }
        return [words[keyword + 1]]
    }
}
