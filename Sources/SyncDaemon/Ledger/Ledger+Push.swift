// Devices that hear of channels by push: how many there may be, and what webhooks are told of them.

import EventModel
import JSON

extension Ledger {
    /// Changes of which channels a device hears, unless that would be too many.
    ///
    /// - Parameter owner: Who registers some, or takes back what is theirs; `nil`: whosoever's.
    func change(
        _ device: PushDevice, _ change: PushChange, by owner: String?
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        let before = Set(try store.channels(of: device).map(ExactText.init))
        switch change {
        case .add(let names):
            let new = Set(names.map(ExactText.init)).subtracting(before)
            guard before.count + new.count <= Limits.channelsPerDeviceMax else {
                return .failure(
                    .tooManyChannels(
                        Limits.channelsPerDeviceMax, per: "device", or: "remove some from it"))
            }
            for name in new {
                let channel = Channel(name.string, keyset: device.keyset)
                let devices = try store.devices(of: channel, limit: Limits.devicesPerChannelMax)
                guard devices.count < Limits.devicesPerChannelMax else {
                    return .failure(
                        .tooManyChannels(
                            Limits.devicesPerChannelMax, "devices", per: "channel",
                            or: "remove some from it"))
                }
            }
            if let refusal = try refusal(of: device, of: owner, hearingOf: names) {
                return .failure(refusal)
            }
            // Also those of which it hears: they are this user's from now on.
            try store.add(
                Set(names.map(ExactText.init)).sorted().map(\.string), to: device, by: owner)
        case .remove(let names):
            let own = Set(
                try store.channels(of: device, registeredBy: owner).map(ExactText.init))
            let old = Set(names.map(ExactText.init)).intersection(own)
            try store.remove(old.sorted().map(\.string), from: device)
        case .removeAll:
            let own = try store.channels(of: device, registeredBy: owner)
            try store.remove(own, from: device)
        }
        return .success(.deviceChanged)
    }

    /// Why a user may not have one more hear of channels; `nil` when they may.
    private func refusal(
        of device: PushDevice, of owner: String?, hearingOf names: [String]
    ) throws(StoreError) -> ProtocolError? {
        guard let owner else { return nil }
        for name in names {
            let others = try store.deviceCount(
                of: Channel(name, keyset: device.keyset), registeredBy: owner, besides: device)
            guard others < Limits.devicesPerUserMax else {
                return .tooManyChannels(
                    Limits.devicesPerUserMax, "devices of a user", per: "channel",
                    or: "remove some from it")
            }
        }
        return nil
    }

    /// Why its tenant may not keep what a device is to hear of; `nil` when it may.
    func quotaRefusal(
        of device: PushDevice, hearingOf channels: [String]
    ) throws(StoreError) -> ProtocolError? {
        let bytes = channels.reduce(0) { $0 + StoredUse.bytes(of: device, hearingOf: $1) }
        return try quotaRefusal(of: bytes, in: device.keyset)
    }

    /// The devices that hear of a channel, as a JSON array; `nil`: there are none.
    func devicesText(of channel: Channel) throws(StoreError) -> String? {
        let devices = try store.devices(of: channel, limit: Limits.devicesPerChannelMax)
        guard !devices.isEmpty else { return nil }
        var json = JSONWriter(reserving: devices.count * 256)
        json.beginArray()
        for device in devices {
            json.beginObject()
            json.member("token", device.token)
            json.member("gateway", device.gateway.rawValue)
            if device.gateway == .apns2 {
                json.member("environment", device.environment)
                json.member("topic", device.topic)
            }
            json.endObject()
        }
        json.endArray()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension PushDevice {
    var fields: [String] { [keyset, token, gateway.rawValue, environment, topic] }
}

extension PushChange {
    var fields: [String] {
        switch self {
        case .add(let channels): ["add"] + channels
        case .remove(let channels): ["remove"] + channels
        case .removeAll: ["removeAll"]
        }
    }
}
