// Mobile push in the store in memory.

import EventModel

extension MemoryStore {
    func channels(of device: PushDevice, registeredBy user: String?) -> [String] {
        working.channels(of: device, registeredBy: user)
    }

    func devices(of channel: Channel, limit: Int) -> [PushDevice] {
        let name = ExactText(channel.name)
        let devices = working.pushDevices.filter { device, channels in
            ExactText(device.keyset) == ExactText(channel.keyset) && channels[name] != nil
        }
        return Array(devices.keys.sorted { $0.order < $1.order }.prefix(limit))
    }

    func deviceCount(
        of channel: Channel, registeredBy user: String, besides device: PushDevice
    ) -> Int {
        working.pushDevices.count { known, channels in
            known != device && ExactText(known.keyset) == ExactText(channel.keyset)
                && channels[ExactText(channel.name)] == ExactText(user)
        }
    }

    func add(_ channels: [String], to device: PushDevice, by user: String?) {
        for channel in channels.map(ExactText.init) {
            let before = working.pushDevices[device]?[channel]
            working.pushDevices[device, default: [:]][channel] =
                user.map(ExactText.init) ?? before ?? ExactText("")
        }
    }

    func remove(_ channels: [String], from device: PushDevice) {
        for channel in channels { working.pushDevices[device]?[ExactText(channel)] = nil }
        if working.pushDevices[device]?.isEmpty ?? false { working.pushDevices[device] = nil }
    }
}

extension MemoryStore.State {
    func channels(of device: PushDevice, registeredBy user: String?) -> [String] {
        let own = user.map { [ExactText($0), ExactText("")] }
        return pushDevices[device, default: [:]]
            .filter { _, user in own?.contains(user) ?? true }
            .keys.sorted().map(\.string)
    }
}

extension PushDevice {
    /// The order of the embedded store.
    fileprivate var order: (ExactText, String, String, ExactText) {
        (ExactText(token), gateway.rawValue, environment, ExactText(topic))
    }
}
