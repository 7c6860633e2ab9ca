// A second opinion of patterns: a tree that tries everything, one way after the other.

import Basis

/// A random pattern, which knows how it is written and, slowly, what it matches.
indirect enum PatternOracle {
    case letter(Character)
    case any
    case oneOf([Character], isNegated: Bool)
    case start
    case end
    case both(PatternOracle, PatternOracle)
    case either(PatternOracle, PatternOracle)
    case repeated(PatternOracle, Int, Int?)

    var text: String {
        switch self {
        case .letter(let letter): letter == "-" ? "\\-" : String(letter)
        case .any: "."
        case .oneOf(let letters, let isNegated): "[\(isNegated ? "^" : "")\(String(letters))]"
        case .start: "^"
        case .end: "$"
        case .both(let first, let second): first.text + second.text
        case .either(let first, let second): "(\(first.text)|\(second.text))"
        case .repeated(let body, 0, nil): "(\(body.text))*"
        case .repeated(let body, 1, nil): "(?:\(body.text))+"
        case .repeated(let body, 0, 1): "(\(body.text))?"
        case .repeated(let body, let least, nil): "(\(body.text)){\(least),}"
        case .repeated(let body, let least, .some(let most)):
            least == most ? "(\(body.text)){\(least)}" : "(\(body.text)){\(least),\(most)}"
        }
    }

    func isFound(in name: [Character]) -> Bool {
        (0...name.count).contains { matches(name, from: $0) { _ in true } }
    }

    /// Whether it matches from a place, to one from which the rest does.
    private func matches(_ name: [Character], from place: Int, _ rest: (Int) -> Bool) -> Bool {
        func take(_ isTaken: (Character) -> Bool) -> Bool {
            place < name.count && isTaken(name[place]) && rest(place + 1)
        }
        switch self {
        case .letter(let letter): return take { $0 == letter }
        case .any: return take { _ in true }
        case .oneOf(let letters, let isNegated): return take { letters.contains($0) != isNegated }
        case .start: return place == 0 && rest(place)
        case .end: return place == name.count && rest(place)
        case .both(let first, let second):
            return first.matches(name, from: place) { second.matches(name, from: $0, rest) }
        case .either(let first, let second):
            return first.matches(name, from: place, rest) || second.matches(name, from: place, rest)
        case .repeated(let body, let least, let most):
            if least == 0, rest(place) { return true }
            if most == 0 { return false }
            let next = PatternOracle.repeated(body, max(0, least - 1), most.map { $0 - 1 })
            return body.matches(name, from: place) { end in
                // Nothing again and again leads nowhere, once there is enough of it.
                end == place && least == 0 ? false : next.matches(name, from: end, rest)
            }
        }
    }

    static func random(depth: Int, using chance: inout SeededGenerator) -> PatternOracle {
        switch depth == 0 ? chance.below(5) : chance.below(10) {
        case 0, 1: return .letter(chance.pick(["a", "b", "-"]))
        case 2: return .any
        case 3:
            return .oneOf(
                chance.pick([["a"], ["a", "b"], ["b", "-"]]), isNegated: chance.chance(40))
        case 4: return chance.chance(50) ? .start : .end
        case 5, 6, 7:
            return .both(
                random(depth: depth - 1, using: &chance), random(depth: depth - 1, using: &chance))
        case 8:
            return .either(
                random(depth: depth - 1, using: &chance), random(depth: depth - 1, using: &chance))
        default:
            let least = chance.below(3)
            let most: Int? = chance.chance(50) ? nil : least + chance.below(2)
            return .repeated(random(depth: depth - 1, using: &chance), least, most)
        }
    }
}
