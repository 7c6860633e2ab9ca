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
        try foreseeNames(wanted)
        var mutations: [Int: (name: String, author: Author, device: Int64)] = [:]
        var actions: [Int: (key: MessageAction.Key, channel: Channel, id: Int64)] = [:]
        var totals: [Int: (name: ActionName, message: Timetoken, channel: Channel)] = [:]
        for lookup in wanted {
            switch lookup {
            case .mutation(let name, let author):
                guard let device = try knownID(of: author) else {
                    foreseen.learn(nil, of: name, by: author)
                    continue
                }
                let number = try statements.mutations.find.ask([.integer(device), .text(name)])
                mutations[number] = (name, author, device)
                foreseen.learn(nil, of: name, by: author)
            case .action(let key, let channel):
                foreseen.learn(nil, under: key, in: channel)
                guard let id = try knownID(of: channel) else { continue }
                let number = try statements.findAction.ask([.integer(id)] + key.columns)
                actions[number] = (key, channel, id)
            case .totals(let name, let message, let channel):
                foreseen.learn(ActionTotals(), of: name, on: message, in: channel)
                guard let id = try knownID(of: channel) else { continue }
                let number = try statements.tally.totals.ask([
                    .integer(id), .timetoken(message), .text(name.type.string),
                    .text(name.value.string),
                ])
                totals[number] = (name, message, channel)
            }
        }
        // What is damaged is left to who asks for it alone.
        var damaged: [Int] = []
        try connection.answers { number, row in
            if let (name, author, device) = mutations[number] {
                switch MutationRecord.read(row, of: name, device: device) {
                case .success(let record): foreseen.learn(record, of: name, by: author)
                case .failure: damaged.append(number)
                }
            } else if let (key, channel, id) = actions[number] {
                let (action, isSound) = Self.action(row, under: key, in: id)
                foreseen.learn(action, under: key, in: channel)
                if !isSound { damaged.append(number) }
            } else if let (name, message, channel) = totals[number] {
                let found = ActionTotals(
                    count: Int(row.integer(0)), score: Int(row.integer(1)))
                foreseen.learn(found, of: name, on: message, in: channel)
            }
        }
        if !damaged.isEmpty { foreseen = Foreseen() }
    }

    /// Finds the ids of names.
    private func foreseeNames(_ lookups: Set<StoreLookup>) throws(StoreError) {
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
        guard !channels.isEmpty || !devices.isEmpty else { return }
        try connection.answers { number, row in
            if let channel = channels[number] {
                newChannels.remove(channel)
                name(channel, row.integer(0))
            } else if let author = devices[number] {
                newDevices.remove(author)
                name(author, row.integer(0))
            }
        }
        foreseen.newChannels.formUnion(newChannels)
        foreseen.newDevices.formUnion(newDevices)
    }
}
