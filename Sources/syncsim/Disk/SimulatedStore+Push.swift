// The part of the simulated store about mobile push; no world has any yet.

import EventModel

@testable import SyncDaemon

extension SimulatedStore {
    func channels(of device: PushDevice) throws(StoreError) -> [String] {
        try platter.channels(of: device)
    }

    func devices(of channel: Channel, limit: Int) throws(StoreError) -> [PushDevice] {
        try platter.devices(of: channel, limit: limit)
    }

    func add(_ channels: [String], to device: PushDevice) throws(StoreError) {
        try call()
        try platter.add(channels, to: device)
    }

    func remove(_ channels: [String], from device: PushDevice) throws(StoreError) {
        try call()
        try platter.remove(channels, from: device)
    }
}
