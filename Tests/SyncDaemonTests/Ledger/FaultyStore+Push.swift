// The failing store's part about mobile push.

import EventModel

@testable import SyncDaemon

extension FaultyStore {
    func channels(of device: PushDevice) -> [String] { base.channels(of: device) }

    func devices(of channel: Channel, limit: Int) -> [PushDevice] {
        base.devices(of: channel, limit: limit)
    }

    func add(_ channels: [String], to device: PushDevice) {
        base.add(channels, to: device)
    }

    func remove(_ channels: [String], from device: PushDevice) {
        base.remove(channels, from: device)
    }
}
