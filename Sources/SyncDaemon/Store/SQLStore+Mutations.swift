// What the embedded store remembers of writes, so that their retries are answered alike.

import EventModel
import SQL

extension SQLStore {
    func outcome(
        of mutation: String, by author: Author
    ) throws(StoreError) -> MutationRecord? {
        if let known = foreseen?.record(of: mutation, by: author) { return known }
        guard let device = try knownID(of: author) else { return nil }
        let found = try statements.mutations.find.first([.integer(device), .text(mutation)]) {
            MutationRecord.read($0, of: mutation, device: device)
        }
        switch found {
        case nil: return nil
        case .success(let record): return record
        case .failure(let wrong): throw .wrongSum(ofMutation: wrong.timetoken, in: path)
        }
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
        foreseen?.learn(record, of: mutation, by: author)
    }

    func hasMutations(before timetoken: Timetoken) throws(StoreError) -> Bool {
        try statements.mutations.findOld.first([.timetoken(timetoken)]) { _ in true } ?? false
    }

    func forgetMutations(before timetoken: Timetoken, limit: Int) throws(StoreError) {
        guard !hasNothingOld(.mutations) else { return }
        mutationsAdded -= try statements.mutations.forget.runCounting([
            .timetoken(timetoken), .integer(Int64(limit)),
        ])
    }
}

extension MutationRecord {
    /// A row that is not what was written.
    struct Wrong: Error {
        let timetoken: Timetoken
    }

    /// Reads what ``SQLMutationStatements/find`` finds.
    static func read(
        _ row: borrowing DatabaseRow, of mutation: String, device: Int64
    ) -> Result<MutationRecord, Wrong> {
        let fingerprint = UInt64(bitPattern: row.integer(0))
        let (kind, outcome, timetoken) = (row.integer(1), row.timetoken(2), row.timetoken(3))
        let sum = RowSum.mutation(
            mutation, at: timetoken, of: device, fingerprint: fingerprint, kind: kind,
            outcome: outcome)
        // Rows of earlier releases have none.
        guard row.optionalInteger(4) ?? sum == sum,
            let decided = Outcome(kind: kind, timetoken: outcome)
        else { return .failure(Wrong(timetoken: timetoken)) }
        return .success(MutationRecord(fingerprint: fingerprint, outcome: decided))
    }
}
