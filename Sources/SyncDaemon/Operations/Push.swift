// Mobile push: of which channels devices are to hear, for whoever sends to their vendors.

import EventModel

extension Operations {
    /// The channels of which a device hears, ascending.
    static func pushChannels(
        of device: PushDevice, for caller: some Caller
    ) -> OperationOutcome {
        caller.ask(
            .pushChannels(device.of(caller.author.keyset), registeredBy: caller.pushOwner),
            about: "")
    }

    /// No publish key is asked for: it changes nothing that others see.
    static func change(
        _ device: PushDevice, _ change: PushChange, by caller: some Caller
    ) -> OperationOutcome {
        let write = Write(
            origin: caller.origin, author: caller.author, channel: caller.channel(""),
            operation: .changeDevice(
                device.of(caller.author.keyset), change, owner: caller.pushOwner),
            mutation: nil)
        return caller.engine.submit(write) ? .later : .refused(.overloaded)
    }
}

extension Caller {
    /// Whose of a device's channels the caller sees and takes away; `nil`: all, because nobody
    /// shows who they are, or because it is the tenant's backend.
    ///
    /// Of a device with a token that names nobody these are what was registered so.
    fileprivate var pushOwner: String? {
        switch credential {
        case .unguarded, .secretKey: nil
        case .token(let grant): grant.user?.string ?? ""
        case .authKey: ""
        }
    }
}

extension Need {
    /// What it takes to have a device hear of other channels.
    ///
    /// To take one's own away no right is asked, also when that to hear is gone.
    static func changing(_ change: PushChange) -> Need {
        guard case .add(let channels) = change else { return .nothing }
        return .having(.read, on: channels)
    }
}
