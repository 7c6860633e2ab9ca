// The part of the simulated store about mobile push; no world has any yet.

import EventModel

@testable import SyncDaemon

extension SimulatedStore {
    func channels(
        of device: PushDevice, registeredBy user: String?
    ) throws(StoreError) -> [String] {
        try platter.channels(of: device, registeredBy: user)
    }

    func devices(of channel: Channel, limit: Int) throws(StoreError) -> [PushDevice] {
        try platter.devices(of: channel, limit: limit)
    }

    func deviceCount(
        of channel: Channel, registeredBy user: String, besides device: PushDevice
    ) throws(StoreError) -> Int {
        try platter.deviceCount(of: channel, registeredBy: user, besides: device)
    }

    func add(
        _ channels: [String], to device: PushDevice, by user: String?
    ) throws(StoreError) {
        try call()
        try platter.add(channels, to: device, by: user)
    }

    func remove(_ channels: [String], from device: PushDevice) throws(StoreError) {
        try call()
        try platter.remove(channels, from: device)
    }
}
