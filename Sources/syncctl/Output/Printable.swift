// What others wrote, as it may go to a terminal.

/// Makes visible what steers a terminal or cannot be seen, and ends heaps of marks.
///
/// Two names that look alike are alike: what takes no room (Unicode's `Default_Ignorable`, with the
/// marks of direction) is written out, but where it makes an emoji, or joins letters of a script
/// that needs it. A letter has ``marksMax`` marks at most, then an ellipsis.
func printable(_ text: String) -> String { written(text, joins: true) }

/// The same of a name in a table for operators: all that takes no room is written out there, also
/// within an emoji, since they compare what they see.
func printableName(_ name: String) -> String { written(name, joins: false) }

/// - Parameter joins: Whether what belongs to an emoji or a script stays.
private func written(_ text: String, joins: Bool) -> String {
    var result = String.UnicodeScalarView()
    let scalars = Array(text.unicodeScalars)
    var (marks, tagsLeft) = (0, 0)
    for (place, scalar) in scalars.enumerated() {
        marks = scalar.isMark ? marks + 1 : 0
        let isInFlag = tagsLeft > 0
        tagsLeft = scalar.tagsBehind(tagsLeft)
        switch scalar.value {
        case 0x0A: result.append("⏎")
        case 0x09: result.append(" ")
        case 0x20..<0x7F: result.append(scalar)
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: result.append(named: scalar)
        case _ where scalar.properties.isNoncharacterCodePoint: result.append(named: scalar)
        case _ where scalar.properties.isDefaultIgnorableCodePoint:
            let before = place > 0 ? scalars[place - 1] : nil
            let after = place + 1 < scalars.count ? scalars[place + 1] : nil
            if joins, scalar.hasPlace(between: before, and: after, inFlag: isInFlag) {
                result.append(scalar)
            } else {
                result.append(named: scalar)
            }
        case _ where marks > marksMax:
            if marks == marksMax + 1 { result.append("…") }
        default: result.append(scalar)
        }
    }
    return String(result)
}

/// More than any script puts on one letter.
private let marksMax = 8
/// Of a flag, with the one that ends it: a country, and a part of it of up to four letters.
private let flagTagsMax = 7

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: !properties.isDefaultIgnorableCodePoint
        default: false
        }
    }

    /// Whether it is part of what is seen there.
    ///
    /// - Parameter isInFlag: Whether a flag began before it that may have another tag.
    fileprivate func hasPlace(
        between before: Unicode.Scalar?, and after: Unicode.Scalar?, inFlag isInFlag: Bool
    ) -> Bool {
        guard let before else { return false }
        switch value {
        // Variation selectors: of emoji, and of signs that become one ("1\u{FE0F}\u{20E3}").
        case 0xFE00...0xFE0F: return before.value > 0x7F || after?.value == 0x20E3
        // Joiners: of emoji, and of scripts whose letters change with them, from Arabic on.
        case 0x200C, 0x200D: return min(before.value, after?.value ?? 0) >= 0x0600
        // Tags of a flag ("🏴" and letters that are not seen).
        case 0xE0020...0xE007F: return isInFlag
        default: return false
        }
    }

    /// How many tags of a flag may still follow it, where so many might before.
    fileprivate func tagsBehind(_ count: Int) -> Int {
        switch value {
        case 0x1F3F4: flagTagsMax
        case 0xE0020...0xE007E: max(0, count - 1)
        default: 0
        }
    }
}

extension String.UnicodeScalarView {
    fileprivate mutating func append(named scalar: Unicode.Scalar) {
        append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
    }
}
