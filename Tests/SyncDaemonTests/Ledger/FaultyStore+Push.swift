// The failing store's part about mobile push.

import EventModel

@testable import SyncDaemon

extension FaultyStore {
    func channels(of device: PushDevice, registeredBy user: String?) -> [String] {
        base.channels(of: device, registeredBy: user)
    }

    func devices(of channel: Channel, limit: Int) -> [PushDevice] {
        base.devices(of: channel, limit: limit)
    }

    func deviceCount(
        of channel: Channel, registeredBy user: String, besides device: PushDevice
    ) -> Int {
        base.deviceCount(of: channel, registeredBy: user, besides: device)
    }

    func add(_ channels: [String], to device: PushDevice, by user: String?) {
        base.add(channels, to: device, by: user)
    }

    func remove(_ channels: [String], from device: PushDevice) {
        base.remove(channels, from: device)
    }
}
