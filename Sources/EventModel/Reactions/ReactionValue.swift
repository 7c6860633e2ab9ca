// What a person types as a reaction, in the one form that all clients send.

/// The form of an emoji in which people on different keyboards mean the same reaction.
public enum ReactionValue {
    /// Drops the space around a value, and gives a single emoji its fully qualified form.
    ///
    /// So `❤` becomes `❤️`, and everything else stays as it is. For what people type; the server
    /// compares values byte for byte, whatever they are.
    ///
    /// - Source: Unicode Technical Standard #51, "Emoji presentation sequence".
    public static func canonical(_ typed: String) -> String {
        let value = trimmed(typed)
        let scalars = Array(value.unicodeScalars)
        guard value.count == 1, scalars.allSatisfy({ isPartOfEmoji($0) }),
            scalars.contains(keycap) || scalars.contains(where: { !$0.isASCII })
        else { return value }
        // A digit is an emoji only under a keycap; who chose the style of text means it.
        guard scalars.contains(keycap) || !scalars[0].isASCII, !scalars.contains(textStyle) else {
            return value
        }
        let plain = scalars.filter { $0 != emojiStyle }
        var result = String.UnicodeScalarView()
        for (index, scalar) in plain.enumerated() {
            result.append(scalar)
            let next = index + 1 < plain.count ? plain[index + 1] : nil
            if needsStyle(scalar, before: next) { result.append(emojiStyle) }
        }
        return String(result)
    }

    /// Whether a value is one of the emoji that Unicode recommends, and nothing else.
    ///
    /// Each skin tone is a value of its own. Of pictures of several people any combination of tones
    /// is taken that Unicode has for some.
    ///
    /// - Parameter value: In its canonical form.
    public static func isEmoji(_ value: String) -> Bool {
        var tones = 0
        var parts = 1
        var last: Unicode.Scalar?
        var bare = String.UnicodeScalarView()
        for scalar in value.unicodeScalars where scalar != emojiStyle {
            if scalar.properties.isEmojiModifier {
                // One for each person.
                guard let last, last != joiner, !last.properties.isEmojiModifier else {
                    return false
                }
                tones += 1
            } else {
                if scalar == joiner { parts += 1 }
                bare.append(scalar)
            }
            last = scalar
        }
        guard tones <= parts else { return false }
        let table = tones > 0 ? EmojiTable.toned : EmojiTable.plain
        return table.contains(ExactText(String(bare)))
    }

    private static let emojiStyle: Unicode.Scalar = "\u{FE0F}"
    private static let textStyle: Unicode.Scalar = "\u{FE0E}"
    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        let end = start.reversed().drop { $0.isWhitespace }
        return String(end.reversed())
    }

    private static func isPartOfEmoji(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmoji || [emojiStyle, textStyle, joiner, keycap].contains(scalar)
            || (0xE0020...0xE007F).contains(scalar.value)  // Letters of a flag's name.
    }

    /// Whether an emoji is shown as text unless it says otherwise; a skin tone says so, too.
    private static func needsStyle(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        scalar.properties.isEmoji && !scalar.properties.isEmojiPresentation
            && next?.properties.isEmojiModifier != true
    }
}
