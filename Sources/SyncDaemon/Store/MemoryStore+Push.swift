// Mobile push in the store in memory.

import EventModel

extension MemoryStore {
    func channels(of device: PushDevice) -> [String] { working.channels(of: device) }

    func devices(of channel: Channel, limit: Int) -> [PushDevice] {
        let name = ExactText(channel.name)
        let devices = working.pushDevices.filter { device, channels in
            ExactText(device.keyset) == ExactText(channel.keyset) && channels.contains(name)
        }
        return Array(devices.keys.sorted { $0.order < $1.order }.prefix(limit))
    }

    func add(_ channels: [String], to device: PushDevice) {
        working.pushDevices[device, default: []].formUnion(channels.map(ExactText.init))
    }

    func remove(_ channels: [String], from device: PushDevice) {
        working.pushDevices[device]?.subtract(channels.map(ExactText.init))
        if working.pushDevices[device]?.isEmpty ?? false { working.pushDevices[device] = nil }
    }
}

extension MemoryStore.State {
    func channels(of device: PushDevice) -> [String] {
        pushDevices[device, default: []].sorted().map(\.string)
    }
}

extension PushDevice {
    /// The order of the embedded store.
    fileprivate var order: (ExactText, String, String, ExactText) {
        (ExactText(token), gateway.rawValue, environment, ExactText(topic))
    }
}
