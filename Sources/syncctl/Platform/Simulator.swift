// The simulator is a program of its own, so that this one carries no daemon with it.

import Glibc

/// Hands over to `syncsim`, which lies beside this program.
enum Simulator {
    /// Becomes the simulator.
    ///
    /// - Returns: Only when that failed: why, in one sentence.
    static func run(_ arguments: [String]) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return "cannot find out where it lies (errno \(errno))." }
        let own = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let program = String(own[..<(own.lastIndex(of: "/") ?? own.endIndex)]) + "/syncsim"
        let pointers = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        unsafe execv(program, pointers)
        return "cannot run \(program): \(unsafe String(cString: strerror(errno))). "
            + "Build it there, or use `make simulate`."
    }
}
