// A line of the screen as text with styles. Pure.

/// How text looks; every one of them is seen without colour, too.
struct Style: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let dim = Style(rawValue: 1)
    static let bold = Style(rawValue: 2)
    static let reverse = Style(rawValue: 4)
    static let underline = Style(rawValue: 8)
    /// What is the user's own; a colour of the terminal's theme.
    static let own = Style(rawValue: 16)
    /// What needs a look; another colour.
    static let alert = Style(rawValue: 32)
}

/// A line of the screen.
struct StyledLine: Hashable, Sendable {
    struct Span: Hashable, Sendable {
        var text: String
        var style: Style
    }

    private(set) var spans: [Span] = []

    init() {}

    init(_ text: String, _ style: Style = []) {
        add(text, style)
    }

    var text: String { spans.map(\.text).joined() }

    mutating func add(_ text: String, _ style: Style = []) {
        if !text.isEmpty { spans.append(Span(text: text, style: style)) }
    }

    /// Whether some text looks so.
    func shows(_ text: String, _ style: Style) -> Bool {
        spans.contains { $0.text.contains(text) && $0.style.isSuperset(of: style) }
    }

    /// The line cut at an edge of the screen.
    func clipped(to columns: Int, _ measure: Columns) -> StyledLine {
        var line = StyledLine()
        var left = columns
        for span in spans {
            let width = measure.width(of: span.text)
            guard width > left else {
                line.add(span.text, span.style)
                left -= width
                continue
            }
            line.add(measure.prefix(of: span.text, left), span.style)
            break
        }
        return line
    }
}
