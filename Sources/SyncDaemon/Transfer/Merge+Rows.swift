// What becomes of one row of another store beside those that are there.

import EventModel

extension Merge {
    /// Why a row is not written.
    enum PutError: Error {
        case store(StoreError)
        case tooLate(Timetoken)
        /// - Parameter channel: `nil`: the one whose rows come.
        case contradicts(String, in: Channel? = nil)
        case contents(FileError)
        case noContents
    }

    /// - Returns: Whether it was written: else it is there already.
    func decide(_ record: TransferRecord) throws(PutError) -> Bool {
        switch record {
        case .message(let record): return try put(record.moved(by: -ageOffset))
        case .action(let record): return try put(record)
        case .mark(let record): return try put(record)
        case .deletion(let record): return try put(record)
        case .clearing(let record): return try put(record)
        case .grouping(let group, let channel):
            return try run { () throws(StoreError) in
                guard try !store.channels(of: group).contains(where: { $0.isExactly(channel) })
                else { return false }
                try store.change(.add([channel]), of: group)
                return true
            }
        case .revoked(let record):
            return try run { () throws(StoreError) in
                guard try !store.isRevoked(record.token) else { return false }
                try store.revoke(
                    record.token, forgettable: record.moved(by: -ageOffset).forgettable)
                return true
            }
        case .grant(let record): return try put(record.moved(by: -ageOffset))
        case .device(let device, let channel, let user):
            return try run { () throws(StoreError) in
                guard try !intake.hears(device, of: channel) else { return false }
                try store.add([channel], to: device, by: user.isEmpty ? nil : user)
                return true
            }
        case .file(let record): return try put(record)
        case .channel, .endOfChannel, .end: return false
        }
    }

    private func put(_ record: KeptMessage) throws(PutError) -> Bool {
        let (place, timetoken) = (try placed(), record.timetoken)
        if let found = try run({ () throws(StoreError) in try intake.message(at: timetoken) }) {
            guard found.channel == place.id else {
                throw .contradicts("a message is at \(timetoken), where another channel has one")
            }
            guard found.record.isExactly(record) else {
                throw .contradicts("the message at \(timetoken) is another one than the file's")
            }
            return false
        }
        try come(at: timetoken)
        try checkDeletions(of: timetoken, since: timetoken, in: place)
        if place.isDirectory { try checkEntries(record, in: place) }
        let isNewest = timetoken > place.newestMessage
        try run { () throws(StoreError) in
            // First: segments are cut by the rows that are there.
            try digests.insert(
                .message(record.row), isNewest: isNewest, in: place.channel, of: store)
            try store.insert(
                record.message, at: timetoken, in: place.channel, by: record.uuid,
                expires: record.expires)
        }
        if isNewest { self.place?.newestMessage = timetoken }
        return true
    }

    private func put(_ record: KeptAction) throws(PutError) -> Bool {
        let (place, key) = (try placed(), record.action.key)
        let found = try run { () throws(StoreError) in try intake.action(under: key, in: place.id) }
        if let found {
            guard found != record else { return false }
            let what = "\(LogText.quoted(key.value)) of \(LogText.quoted(key.uuid))"
            let here =
                found.removed.map { "was removed at \($0)" }
                ?? "stands since \(found.action.actionTimetoken)"
            let there =
                record.removed.map { "was removed at \($0)" }
                ?? "stands since \(record.action.actionTimetoken)"
            throw .contradicts(
                "the action \(what) on \(key.messageTimetoken) \(here), and \(there) in the file")
        }
        let added = record.action.actionTimetoken
        try come(at: record.removed ?? added)
        try checkDeletions(of: key.messageTimetoken, since: added, in: place)
        if record.removed == nil { try checkClearings(of: record.action, in: place) }
        try run { () throws(StoreError) in
            if record.removed != nil { return try intake.put(removed: record, in: place.id) }
            try digests.insert(.action(record.action), in: place.channel, of: store)
            try store.add(record.action, in: place.channel)
        }
        return true
    }

    /// A mark only goes forward: one that is further than the file's is no contradiction.
    private func put(_ record: KeptMark) throws(PutError) -> Bool {
        let place = try placed()
        return try run { () throws(StoreError) in
            let found = try store.readMark(of: record.userID, in: place.channel)
            guard found ?? .zero < record.through else { return false }
            try store.setReadMark(record.through, of: record.userID, in: place.channel)
            return true
        }
    }

    private func put(_ record: KeptDeletion) throws(PutError) -> Bool {
        let (place, timetoken) = (try placed(), record.timetoken)
        if let found = try run({ () throws(StoreError) in try intake.deletion(at: timetoken) }) {
            guard found.channel == place.id, found.record == record else {
                throw .contradicts("another deletion is at \(timetoken)")
            }
            return false
        }
        let hasMessages = try run { () throws(StoreError) in
            try intake.hasMessages(in: record.range, of: place.id)
        }
        guard !hasMessages else {
            throw .contradicts(
                "messages stand after \(record.range.after) through \(record.range.through), which"
                    + " were deleted at \(timetoken) in the file")
        }
        try come(at: timetoken)
        try run { () throws(StoreError) in try intake.put(record, in: place.id) }
        return true
    }

    private func put(_ record: KeptClearing) throws(PutError) -> Bool {
        let (place, timetoken) = (try placed(), record.timetoken)
        if let found = try run({ () throws(StoreError) in try intake.clearing(at: timetoken) }) {
            guard found.channel == place.id, found.record == record else {
                throw .contradicts("another removal by a moderator is at \(timetoken)")
            }
            return false
        }
        try come(at: timetoken)
        try run { () throws(StoreError) in try intake.put(record, in: place.id) }
        self.place?.hasClearings = true
        clearingIndexes[place.id] = nil
        return true
    }

    private func put(_ record: KeptGrant) throws(PutError) -> Bool {
        let grant = record.grant
        if let found = try run({ () throws(StoreError) in try intake.grant(for: grant.subject) }) {
            guard found == grant else {
                throw .contradicts(
                    "a grant on \(LogText.quoted(grant.subject.name.string)) of"
                        + " \(LogText.quoted(grant.subject.keyset.string)) is another one")
            }
            return false
        }
        try run { () throws(StoreError) in
            try store.put(grant, forgettable: record.forgettable)
        }
        return true
    }

    /// Contents come first, as with an upload: a file that is listed is whole.
    private func put(_ record: KeptFile) throws(PutError) -> Bool {
        let file = record.file
        let (found, other) = try run { () throws(StoreError) in
            (try store.file(file.id), try intake.file(at: file.created, in: file.channel))
        }
        if let found {
            guard record.isExactly(found) else {
                throw .contradicts(
                    "the file \(file.id.text) is another one than the export's", in: file.channel)
            }
            _ = try bring(record)
            return false
        }
        if let other {
            throw .contradicts(
                "the file \(other.text) came at \(file.created), as \(file.id.text) of the export",
                in: file.channel)
        }
        try come(at: file.created)
        guard try bring(record) else { throw .noContents }
        try run { () throws(StoreError) in try store.add(file) }
        return true
    }

    /// - Returns: Whether the contents are there.
    private func bring(_ record: KeptFile) throws(PutError) -> Bool {
        do throws(FileError) {
            return try contents?.bring(record.file, sum: record.sum) != nil
        } catch {
            throw .contents(error)
        }
    }

    // MARK: Small steps

    private func placed() throws(PutError) -> Place {
        guard let place else { throw .contradicts("a row stands before its channel") }
        return place
    }

    private func come(at timetoken: Timetoken) throws(PutError) {
        guard timetoken <= latest else { throw .tooLate(timetoken) }
        newest = max(newest, timetoken)
    }

    /// What was deleted here after it came does not come back.
    private func checkDeletions(
        of message: Timetoken, since moment: Timetoken, in place: Place
    ) throws(PutError) {
        guard place.hasDeletions else { return }
        let deleted = try run { () throws(StoreError) in
            try intake.deletion(of: message, in: place.id)
        }
        guard let deleted, deleted > moment else { return }
        throw .contradicts("the message at \(message) was deleted at \(deleted)")
    }

    /// What a moderator took away here after it came does not come back.
    private func checkClearings(
        of action: MessageAction, in place: Place
    ) throws(PutError) {
        guard place.hasClearings else { return }
        let (key, added) = (action.key, action.actionTimetoken)
        let cleared = try run { () throws(StoreError) in
            try clearings(in: place.id).newest(covering: key)
        }
        guard let cleared, cleared > added else { return }
        throw .contradicts(
            "the action \(LogText.quoted(key.value)) of \(LogText.quoted(key.uuid)) on"
                + " \(key.messageTimetoken) was removed by a moderator at \(cleared), and stands"
                + " since \(added) in the file")
    }

    private func clearings(in channel: Int64) throws(StoreError) -> ClearingIndex {
        if let known = clearingIndexes[channel] { return known }
        var index = ClearingIndex()
        try intake.forEachClearing(in: channel) { index.insert($0) }
        // As many as a commit has rows: memory does not grow with channels.
        let kept = clearingIndexes.values.reduce(index.count) { $0 + $1.count }
        if kept > Limits.transferRowsPerCommitMax { clearingIndexes.removeAll() }
        clearingIndexes[channel] = index
        return index
    }

    private func checkEntries(_ record: KeptMessage, in place: Place) throws(PutError) {
        let message = StoredMessage(
            timetoken: record.timetoken, uuid: record.uuid, message: record.message)
        guard let entry = DirectoryEntry(message) else {
            throw .contradicts("the message at \(record.timetoken) is no entry of a directory")
        }
        let found = try run { () throws(StoreError) in
            try store.entry(ExactText(entry.id), in: place.channel)
        }
        guard let found else { return }
        throw .contradicts(
            "the entry \(LogText.quoted(entry.id)) is of \(found.timetoken), and of"
                + " \(entry.timetoken) in the file")
    }

    private func run<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(PutError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .store(error)
        }
    }
}

extension String {
    /// Byte for byte.
    fileprivate func isExactly(_ other: String) -> Bool { ExactText(self) == ExactText(other) }
}
