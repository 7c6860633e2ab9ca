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

extension Need {
    /// What it takes to see a group's channels.
    static func listing(_ group: String) -> Need {
        Need(places: [Place(kind: .group, name: group, rights: [.read, .manage], isAny: true)])
    }

    /// What it takes to change a group.
    ///
    /// Who puts a channel into a group lets all see it who may read the group: so it must be one
    /// that the caller may read.
    static func changing(_ group: String, _ change: GroupChange) -> Need {
        let managing = Need.having(.manage, groups: [group])
        guard case .add(let channels) = change else { return managing }
        return Need(
            places: managing.places + Need.having([.read, .history], on: channels).places)
    }
}
