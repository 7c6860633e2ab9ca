// What every store keeps of mobile push: a part of the seam to the ledger, and what readers see.

import EventModel

/// The part of ``Store`` that is about devices which hear of channels by push.
protocol PushStore: PushReader {
    /// The devices that hear of a channel, in one order.
    func devices(of channel: Channel, limit: Int) throws(StoreError) -> [PushDevice]

    /// Has a device hear of channels; nothing happens for those of which it does.
    func add(_ channels: [String], to device: PushDevice) throws(StoreError)

    /// Has a device not hear of channels any more; nothing happens for those of which it did not.
    func remove(_ channels: [String], from device: PushDevice) throws(StoreError)
}

/// The part of ``StoreReader`` that is about them.
protocol PushReader {
    /// The channels of which a device hears, ascending.
    func channels(of device: PushDevice) throws(StoreError) -> [String]
}
