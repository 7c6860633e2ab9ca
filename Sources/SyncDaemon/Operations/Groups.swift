// Channel groups: names that stand for a list of channels.

import EventModel

extension Operations {
    static func changeGroup(
        _ name: String, _ change: GroupChange, by caller: some Caller
    ) -> OperationOutcome {
        let group = ChannelGroup(name, keyset: caller.keyset.subscribeKey)
        return caller.submit(.changeGroup(group, change), in: group.name)
    }
}
