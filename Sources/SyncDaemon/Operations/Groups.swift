// Channel groups: names that stand for a list of channels.

import EventModel

extension Operations {
    /// The channels of a group, ascending.
    static func channels(ofGroup name: String, for caller: some Caller) -> [String] {
        caller.channels(of: name)
    }

    /// The groups of the caller's tenant; `nil` when they are too many for one list.
    static func groups(for caller: some Caller) -> [String]? {
        caller.engine.groups.groups(inKeyset: caller.keyset.subscribeKey)
    }

    static func changeGroup(
        _ name: String, _ change: GroupChange, by caller: some Caller
    ) -> OperationOutcome {
        let group = ChannelGroup(name, keyset: caller.keyset.subscribeKey)
        return caller.submit(.changeGroup(group, change), in: group.name)
    }
}
