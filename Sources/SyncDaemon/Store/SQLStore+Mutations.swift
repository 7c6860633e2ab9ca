// What the embedded store remembers of writes, so that their retries are answered alike.

import EventModel
import SQL

extension SQLStore {
    func outcome(
        of mutation: String, by author: Author
    ) throws(StoreError) -> MutationRecord? {
        guard let device = try knownID(of: author) else { return nil }
        var wrong: Timetoken?
        let record = try statements.mutations.find.first([.integer(device), .text(mutation)]) {
            row -> MutationRecord? in
            let fingerprint = UInt64(bitPattern: row.integer(0))
            let (kind, outcome, timetoken) = (row.integer(1), row.timetoken(2), row.timetoken(3))
            let sum = RowSum.mutation(
                mutation, at: timetoken, of: device, fingerprint: fingerprint, kind: kind,
                outcome: outcome)
            // Rows of earlier releases have none.
            guard row.optionalInteger(4) ?? sum == sum,
                let decided = Outcome(kind: kind, timetoken: outcome)
            else {
                wrong = timetoken
                return nil
            }
            return MutationRecord(fingerprint: fingerprint, outcome: decided)
        }
        if let wrong { throw .wrongSum(ofMutation: wrong, in: path) }
        return record ?? nil
    }

    func remember(
        _ record: MutationRecord, of mutation: String, by author: Author, at timetoken: Timetoken
    ) throws(StoreError) {
        let (stored, device) = (record.outcome.stored, try id(of: author))
        let sum = RowSum.mutation(
            mutation, at: timetoken, of: device, fingerprint: record.fingerprint,
            kind: stored.kind, outcome: stored.timetoken)
        try statements.mutations.insert.run(
            .timetoken(timetoken), .integer(device), .text(mutation),
            .integer(Int64(bitPattern: record.fingerprint)), .integer(stored.kind),
            .timetoken(stored.timetoken), .integer(sum))
        mutationsAdded += 1
    }

    func hasMutations(before timetoken: Timetoken) throws(StoreError) -> Bool {
        try statements.mutations.findOld.first([.timetoken(timetoken)]) { _ in true } ?? false
    }

    func forgetMutations(before timetoken: Timetoken, limit: Int) throws(StoreError) {
        mutationsAdded -= try statements.mutations.forget.runCounting([
            .timetoken(timetoken), .integer(Int64(limit)),
        ])
    }
}
