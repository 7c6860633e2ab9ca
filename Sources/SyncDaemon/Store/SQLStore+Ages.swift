// What the store knows of when timetokens were given.

import EventModel
import SQL

extension SQLStore {
    func ages() throws(StoreError) -> [AgeMark] {
        var marks: [AgeMark] = []
        try statements.digests.ages.query { row in
            marks.append(AgeMark(through: row.timetoken(0), ticks: row.timetoken(1).rawValue))
            return true
        }
        return marks
    }

    func add(_ mark: AgeMark) throws(StoreError) {
        try statements.digests.insertAge.run(.timetoken(mark.through), .word(mark.ticks))
    }

    func forgetAges(before timetoken: Timetoken) throws(StoreError) {
        try statements.digests.forgetAges.run(.timetoken(timetoken))
    }

    /// Adds what an earlier run left unmarked, unless there is one of a moment ago.
    ///
    /// - Parameter now: On the retention clock.
    func markAge(_ mark: AgeMark, now: UInt64) throws(StoreError) {
        let newest = try ages().last
        guard newest.map({ now >= $0.ticks + Limits.ageTicksMax }) ?? true,
            mark.through > newest?.through ?? .zero
        else { return }
        try add(mark)
    }
}
