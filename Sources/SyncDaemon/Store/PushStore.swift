// What every store keeps of mobile push: a part of the seam to the ledger, and what readers see.

import EventModel

/// The part of ``Store`` that is about devices which hear of channels by push.
protocol PushStore: PushReader {
    /// The devices that hear of a channel, in one order.
    func devices(of channel: Channel, limit: Int) throws(StoreError) -> [PushDevice]

    /// How many devices hear of a channel that a user registered, besides one.
    ///
    /// - Complexity: O(devices of the channel).
    func deviceCount(
        of channel: Channel, registeredBy user: String, besides device: PushDevice
    ) throws(StoreError) -> Int

    /// Has a device hear of channels.
    ///
    /// - Parameter user: Whose they are from now on; `nil`: nobody's, unless they are somebody's.
    func add(
        _ channels: [String], to device: PushDevice, by user: String?
    ) throws(StoreError)

    /// Has a device not hear of channels any more; nothing happens for those of which it did not.
    func remove(_ channels: [String], from device: PushDevice) throws(StoreError)
}

/// The part of ``StoreReader`` that is about them.
protocol PushReader {
    /// The channels of which a device hears, ascending.
    ///
    /// - Parameter user: Only those that this user registered, or nobody did by name; `nil`: all.
    func channels(
        of device: PushDevice, registeredBy user: String?
    ) throws(StoreError) -> [String]
}

extension PushReader {
    func channels(of device: PushDevice) throws(StoreError) -> [String] {
        try channels(of: device, registeredBy: nil)
    }
}

extension PushStore {
    func add(_ channels: [String], to device: PushDevice) throws(StoreError) {
        try add(channels, to: device, by: nil)
    }
}
