// The simulator is a program of its own, so that this one carries no daemon with it.

import Glibc

/// Hands over to `syncsim`, which lies beside this program.
enum Simulator {
    /// Whether it does lie there: it is built from the source, and is in no package.
    static var isThere: Bool {
        guard let program else { return false }
        return unsafe access(program, X_OK) == 0
    }

    /// Its path; `nil` where this program cannot find out its own.
    private static var program: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return nil }
        let own = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(own[..<(own.lastIndex(of: "/") ?? own.endIndex)]) + "/syncsim"
    }

    /// Becomes the simulator.
    ///
    /// - Returns: Only when that failed: why, in one sentence.
    static func run(_ arguments: [String]) -> String {
        guard let program else { return "cannot find out where it lies (errno \(errno))." }
        let pointers = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        unsafe execv(program, pointers)
        return "cannot run \(program): \(unsafe String(cString: strerror(errno))). "
            + "Build it there, or use `make simulate`."
    }
}
