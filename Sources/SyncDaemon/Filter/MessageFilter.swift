// What a subscriber wants of the messages: PubNub's filter expressions.

import EventModel

/// A parsed filter expression, such as `priority > 5 && data.kind in ("text", "image")`.
///
/// A name by itself, or behind `meta.`, is a field of what was published beside the message;
/// behind `data.` it is a field of the message. Operators, from those that bind last:
/// `||`, `&&`, `|` and `^`, `&`, `==` and `!=`, then `<` `<=` `>` `>=` `in` `contains` `like`,
/// `+` and `-`, `*` `/` `%`, and before a value `!` `-` `~`.
///
/// What cannot be decided, because a field is missing or is of another kind, does not match, and
/// neither does its negation: a message without `meta` never matches by what it lacks.
///
/// - Source: PubNub's subscribe filters. Precedence is C's; `true`, `false` and `null` are values.
struct MessageFilter: Hashable, Sendable {
    private let exactText: ExactText
    /// Stands for the text, which is long, and for the tree, which is many times as long.
    ///
    /// Of a key that nobody knows: no client finds two texts that have the same.
    let fingerprint: KeyedHash
    private let expression: FilterExpression

    /// As the client wrote it.
    var text: String { exactText.string }

    /// Parses a filter; a text without a word in it matches everything.
    ///
    /// - Throws: For a text that is malformed, longer than ``Limits/filterBytesMax`` or nested
    ///   deeper than ``Limits/filterDepthMax``.
    init(_ text: String) throws(MessageFilterError) {
        guard text.utf8.count <= Limits.filterBytesMax else {
            throw MessageFilterError(
                position: 1, found: "\(text.utf8.count) bytes",
                expected: "at most \(Limits.filterBytesMax)")
        }
        var parser = try FilterParser(text)
        expression = try parser.filter()
        exactText = ExactText(text)
        var bytes = text
        fingerprint = bytes.withUTF8 { unsafe KeyedHash($0, key: Self.key) }
    }

    /// New with each start.
    private static let key: DigestKey = {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }()

    /// Whether a message is wanted, and what it cost to find out.
    ///
    /// One that costs more than ``Limits/filterStepsMax`` is wanted: who asks too much gets too
    /// much, and misses nothing.
    ///
    /// - Complexity: Linear in the text of the message, for each operator of the filter.
    func verdict(on message: FilteredMessage) -> (isWanted: Bool, steps: Int) {
        var evaluator = FilterEvaluator(message, costMax: Limits.filterStepsMax)
        let isWanted = evaluator.value(of: expression).isTrue ?? false
        return (isWanted || evaluator.isCutShort, evaluator.cost.steps)
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.exactText == rhs.exactText
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(fingerprint)
    }
}

/// A text that is not a filter expression.
struct MessageFilterError: Error, Hashable, CustomStringConvertible {
    /// Where the trouble begins: 1 is the first character.
    ///
    /// Counts Unicode scalars.
    let position: Int
    /// What stands there, as the client wrote it, or in words.
    let found: String
    /// What could stand there, in words.
    let expected: String

    var description: String {
        "The filter is malformed at character \(position): found \(found), expected \(expected)."
    }
}
