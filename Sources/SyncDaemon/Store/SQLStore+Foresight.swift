// A server is asked at once what a batch of writes needs: a round trip for each would take longer
// than the writes.

import EventModel
import SQL

extension SQLStore {
    func foresee(_ lookups: [StoreLookup]) throws(StoreError) {
        // A file answers at once.
        guard connection.dialect == .postgres else { return }
        // What stands may be hidden: that is looked at when it is asked.
        let wanted = Set(lookups).filter { lookup in
            if case .mutation = lookup { true } else { hidden.isEmpty }
        }
        var foreseen = try foreseeNames(wanted)
        self.foreseen = foreseen
        var asked: [Int: Asked] = [:]
        for lookup in wanted {
            switch lookup {
            case .mutation(let name, let author):
                foreseen.learn(nil, of: name, by: author)
                guard let device = try knownID(of: author) else { continue }
                let number = try statements.mutations.find.ask([.integer(device), .text(name)])
                asked[number] = .mutation(name, author, device)
            case .action(let key, let channel):
                foreseen.learn(nil, under: key, in: channel)
                guard let id = try knownID(of: channel) else { continue }
                let number = try statements.findAction.ask([.integer(id)] + key.columns)
                asked[number] = .action(key, channel, id)
            case .totals(let name, let message, let channel):
                foreseen.learn(ActionTotals(), of: name, on: message, in: channel)
                guard let id = try knownID(of: channel) else { continue }
                let number = try statements.tally.totals.ask([
                    .integer(id), .timetoken(message), .text(name.type.string),
                    .text(name.value.string),
                ])
                asked[number] = .totals(name, message, channel)
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
            let found = ActionTotals(count: Int(row.integer(0)), score: Int(row.integer(1)))
            learn(found, of: name, on: message, in: channel)
        }
        return true
    }
}
