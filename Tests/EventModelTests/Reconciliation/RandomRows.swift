// Keys and rows for the tests of reconciliation, from one seed.

import Basis
import EventModel

extension SeededGenerator {
    mutating func key() -> DigestKey { DigestKey.random(using: &self) }

    /// A row with any of some awkward texts.
    mutating func row() -> MessageAction {
        let texts = ["", "a", "reaction", "👍", "\u{E9}", "e\u{301}", "\0", "ab"]
        let key = MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: next() >> 1), type: pick(texts),
            value: pick(texts), uuid: pick(texts))
        let added = max(1, next() >> 1)
        let scores = [1, 1, 1, 2, 300, Limits.actionScoreMax]
        return MessageAction(
            key: key, actionTimetoken: Timetoken(rawValue: added),
            score: scores[Int(added % UInt64(scores.count))])
    }
}
