// A folder for what is needed for a moment, which nobody else can look into.

import Glibc

/// Named by the system, in `$TMPDIR`.
struct ScratchFolder {
    private let path: String

    init() throws {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let template = unsafe strdup("\(parent)/syncctl.XXXXXX")
        defer { unsafe free(template) }
        guard let template = unsafe template, let made = unsafe mkdtemp(template) else {
            let reason = unsafe String(cString: strerror(errno))
            throw JobError(
                code: "no_folder", message: "No folder can be made in \(parent): \(reason).",
                advice: "Name another one with TMPDIR.")
        }
        path = unsafe String(cString: made)
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Removes it with those of the files that are there.
    func remove(_ names: [String]) {
        for name in names { unsafe unlink(self.path(of: name)) }
        unsafe rmdir(path)
    }
}
