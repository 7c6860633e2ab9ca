// A server is asked at once what a batch of writes needs: a round trip for each would take longer
// than the writes.

import EventModel
import SQL

extension SQLStore {
    func foresee(_ lookups: @autoclosure () -> [StoreLookup]) throws(StoreError) {
        // A file answers at once.
        guard connection.dialect == .postgres else { return }
        // What stands may be hidden: that is looked at when it is asked.
        let wanted = Set(lookups()).filter { lookup in
            switch lookup {
            case .mutation, .old: true
            case .action, .totals: hidden.isEmpty
            }
        }
        var foreseen = try foreseeNames(wanted)
        self.foreseen = foreseen
        var asked: [Int: Asked] = [:]
        for lookup in wanted {
            switch lookup {
            case .mutation(let name, let author):
                foreseen.learn(nil, of: name, by: author)
                guard let device = try knownID(of: author) else { continue }
                let number = try statements.mutations.findMany.ask([.integer(device), .text(name)])
                asked[number] = .mutation(name, author, device)
            case .action(let key, let channel):
                foreseen.learn(nil, under: key, in: channel)
                guard let id = try knownID(of: channel) else { continue }
                let number = try statements.findActions.ask([.integer(id)] + key.columns)
                asked[number] = .action(key, channel, id)
            case .totals(let name, let message, let channel):
                foreseen.learn(ActionTotals(), of: name, on: message, in: channel)
                guard let id = try knownID(of: channel) else { continue }
                let number = try statements.tally.manyTotals.ask([
                    .integer(id), .timetoken(message), .text(name.type.string),
                    .text(name.value.string),
                ])
                asked[number] = .totals(name, message, channel)
            case .old(let rows):
                foreseen.nothingOld = Set(OldRows.Kind.allCases)
                for (number, kind) in try askForOld(rows) { asked[number] = .old(kind) }
            }
        }
        var isSound = true
        try connection.answers { number, row in
            guard let subject = asked[number] else { return }
            isSound = foreseen.learn(row, of: subject) && isSound
        }
        // What is damaged is left to who asks for it alone.
        self.foreseen = isSound ? foreseen : nil
    }

    /// Asks whether there are rows whose time is over.
    private func askForOld(_ old: OldRows) throws(StoreError) -> [(Int, OldRows.Kind)] {
        let (age, seconds) = (SQLValue.timetoken(old.age), SQLValue.integer(old.seconds))
        let (tombstones, one) = (SQLValue.timetoken(old.tombstones), SQLValue.integer(1))
        return [
            (try statements.findExpired.ask([age, one]), .messages),
            (try statements.mutations.findOld.ask([.timetoken(old.mutations)]), .mutations),
            (try statements.digests.findTombstones.ask([tombstones, one]), .tombstones),
            (try statements.large.clearings.findOld.ask([tombstones, one]), .clearings),
            (try statements.large.newestForgotten.ask([tombstones, one]), .deletions),
            (try statements.revoked.findOld.ask([age, seconds]), .revoked),
            (try statements.keyGrants.findOld.ask([age, seconds]), .keyGrants),
        ]
    }

    /// Whether something is known not to be there, as far as it is over.
    func hasNothingOld(_ kind: OldRows.Kind) -> Bool {
        foreseen?.nothingOld.contains(kind) == true
    }

    /// Finds the ids of names.
    ///
    /// - Returns: What is known so far: which of them have no row.
    private func foreseeNames(_ lookups: Set<StoreLookup>) throws(StoreError) -> Foreseen {
        var (newChannels, newDevices) = (Set<Channel>(), Set<Author>())
        for lookup in lookups {
            switch lookup {
            case .mutation(_, let author):
                if !isNamed(author) { newDevices.insert(author) }
            case .action(_, let channel), .totals(_, _, let channel):
                if !isNamed(channel) { newChannels.insert(channel) }
            case .old: break
            }
        }
        var (channels, devices) = ([Int: Channel](), [Int: Author]())
        for channel in newChannels {
            let number = try statements.findChannel.ask([
                .text(channel.keyset), .text(channel.name),
            ])
            channels[number] = channel
        }
        for author in newDevices {
            let number = try statements.mutations.findDevice.ask([
                .text(author.keyset), .text(author.userID), .text(author.deviceID),
            ])
            devices[number] = author
        }
        if channels.isEmpty, devices.isEmpty { return Foreseen() }
        try connection.answers { number, row in
            if let channel = channels[number] {
                newChannels.remove(channel)
                name(channel, row.integer(0))
            } else if let author = devices[number] {
                newDevices.remove(author)
                name(author, row.integer(0))
            }
        }
        return Foreseen(newChannels: newChannels, newDevices: newDevices)
    }
}

/// What an answer is about.
private enum Asked {
    case mutation(String, Author, Int64)
    case action(MessageAction.Key, Channel, Int64)
    case totals(ActionName, Timetoken, Channel)
    case old(OldRows.Kind)
}

extension Foreseen {
    /// - Returns: `false` when the row is not what was written.
    fileprivate mutating func learn(_ row: borrowing DatabaseRow, of subject: Asked) -> Bool {
        switch subject {
        case .mutation(let name, let author, let device):
            guard case .success(let record) = MutationRecord.read(row, of: name, device: device)
            else { return false }
            learn(record, of: name, by: author)
        case .action(let key, let channel, let id):
            let (action, isSound) = SQLStore.action(row, under: key, in: id)
            guard isSound else { return false }
            learn(action, under: key, in: channel)
        case .totals(let name, let message, let channel):
            learn(row.actionTotals(from: 0), of: name, on: message, in: channel)
        case .old(.deletions):
            // The newest of none is NULL.
            if row.optionalInteger(0) != nil { nothingOld.remove(.deletions) }
        case .old(let kind): nothingOld.remove(kind)
        }
        return true
    }
}
