// Splits a command line into words and options; knows no option by name.

/// The words of a command line and the options among them.
struct Tokens: Hashable {
    private(set) var words: [String] = []
    private(set) var values: [String: String] = [:]
    private(set) var flags: Set<String> = []

    /// Options may stand anywhere; after `--` everything is a word.
    ///
    /// - Parameters:
    ///   - valued: Names of options with a value: `--name VALUE` or `--name=VALUE`.
    ///   - plain: Names of options without one.
    init(
        _ arguments: [String], valued: Set<String>, plain: Set<String>
    ) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                return
            }
            guard argument.hasPrefix("-"), argument.count > 1 else {
                words.append(argument)
                continue
            }
            let name = argument == "-h" ? "--help" : argument.prefix { $0 != "=" }
            let inline = argument.dropFirst(name.count + 1)
            let hasInline = argument.contains("=")
            if plain.contains(String(name)), !hasInline {
                flags.insert(String(name))
            } else if valued.contains(String(name)) {
                guard let value = hasInline ? String(inline) : rest.popFirst() else {
                    throw UsageError(message: "\(name) needs a value.")
                }
                values[String(name)] = value
            } else if plain.contains(String(name)) {
                throw UsageError(message: "\(name) takes no value.")
            } else {
                throw UsageError(
                    message:
                        "There is no option \(name). (A text that begins with - goes after --.)")
            }
        }
    }
}
