// What each keyset takes up of the store in memory: counted when it is asked for.

import EventModel

extension MemoryStore {
    func use(ofKeyset keyset: ExactText) -> StoredUse {
        var use = StoredUse()
        let messages = working.messages.filter { ExactText($0.key.keyset) == keyset }
        let actions = working.actions.filter { ExactText($0.key.keyset) == keyset }
        use.channels = Set(messages.keys).union(actions.keys).count
        for message in messages.values.joined() {
            use.bytes += StoredUse.bytes(of: message.message, by: message.uuid)
        }
        for (key, row) in actions.values.joined() where row.isLive {
            use.bytes += StoredUse.bytes(of: key)
        }
        for (channel, marks) in working.readMarks where ExactText(channel.keyset) == keyset {
            for user in marks.keys { use.bytes += StoredUse.bytes(ofMarkBy: user.string) }
        }
        for (device, channels) in working.pushDevices where ExactText(device.keyset) == keyset {
            for channel in channels.keys {
                use.bytes += StoredUse.bytes(of: device, hearingOf: channel.string)
            }
        }
        for file in working.files.values where ExactText(file.channel.keyset) == keyset {
            use += StoredUse(bytes: StoredUse.bytes(of: file))
        }
        return use
    }

    func hasChannel(_ channel: Channel) -> Bool {
        working.messages[channel] != nil || working.actions[channel] != nil
    }
}
