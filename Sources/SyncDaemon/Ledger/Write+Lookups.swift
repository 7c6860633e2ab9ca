// What the ledger will ask the store about a write, as far as that is known before its turn.

import EventModel

extension Write {
    /// Whatever is not here is asked when it is needed.
    var lookups: [StoreLookup] {
        var lookups: [StoreLookup] = []
        if let mutation { lookups.append(.mutation(mutation, by: author)) }
        switch operation {
        case .add(let asked, _, let rules):
            let key = rules.canonical(asked)
            lookups.append(.action(key, in: channel))
            for name in [ActionName(type: key.type, value: key.value), .all] {
                lookups.append(.totals(name, on: key.messageTimetoken, in: channel))
            }
        case .remove(let asked, _, let rules):
            lookups.append(.action(rules.canonical(asked), in: channel))
        default: break
        }
        return lookups
    }
}
