// The variables that the process was started with.
//
// `@preconcurrency`: `environ` is a mutable global of the C library, which Swift 6 would not let
// through; the one use of it says when it is safe.

@unsafe @preconcurrency import Glibc

enum ProcessEnvironment {
    /// All variables; call it before the first thread starts, since `environ` has no lock.
    static func all() -> [String: String] {
        var variables: [String: String] = [:]
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let text = unsafe String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            unsafe next += 1
        }
        return variables
    }
}
