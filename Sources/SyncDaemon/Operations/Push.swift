// Mobile push: of which channels devices are to hear, for whoever sends to their vendors.

import EventModel

extension Operations {
    /// The channels of which a device hears, ascending.
    static func pushChannels(
        of device: PushDevice, for caller: some Caller
    ) -> OperationOutcome {
        caller.ask(.pushChannels(device), about: "")
    }

    /// No publish key is asked for: it changes nothing that others see.
    static func change(
        _ device: PushDevice, _ change: PushChange, by caller: some Caller
    ) -> OperationOutcome {
        let write = Write(
            origin: caller.origin, author: caller.author, channel: caller.channel(""),
            operation: .changeDevice(device, change), mutation: nil)
        return caller.engine.submit(write) ? .later : .refused(.overloaded)
    }
}

extension Need {
    /// What it takes to have a device hear of other channels.
    ///
    /// A token of a device is known to that device alone: so it is enough to ask what it hears of,
    /// and to take it away, also when the right to hear is gone.
    static func changing(_ change: PushChange) -> Need {
        guard case .add(let channels) = change else { return .nothing }
        return .having(.read, on: channels)
    }
}
