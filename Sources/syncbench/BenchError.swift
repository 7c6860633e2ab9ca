// The one error of the tool: a sentence for the person who runs it.

/// What went wrong, where, and what to do.
struct BenchError: Error, Hashable, CustomStringConvertible {
    let description: String
    /// Whether the command line is at fault.
    var isUsage = false

    init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}
