// Mobile push: whose device it is, and of which channels it is to hear.

import EventModel

extension PubNubRequestReader {
    func push(removes: Bool) throws(PubNubError) -> PubNubRequest.Endpoint {
        let change = try pushChange(removes: removes)
        let device = try device()
        if case .add? = change, !device.gateway.mayHaveMade(device.token) {
            throw .invalidDevice
        }
        return .push(device, change, page: try pushPage())
    }

    private func pushChange(removes: Bool) throws(PubNubError) -> PushChange? {
        if removes { return .removeAll }
        if query["add"] != nil { return .add(try pushChannels("add")) }
        if query["remove"] != nil { return .remove(try pushChannels("remove")) }
        return nil
    }

    /// - Source: PubNub's SDKs for JavaScript and Python: what they send for each type.
    private func device() throws(PubNubError) -> PushDevice {
        let keyset = try text("sub")
        let token = try text("device")
        guard (1...Limits.deviceTokenBytesMax).contains(token.utf8.count) else {
            throw .invalidDevice
        }
        guard route.kind == .appleDevice || route.kind == .removeAppleDevice else {
            guard let gateway = query["type"].flatMap(PushDevice.Gateway.init(type:)) else {
                throw .push("Invalid type argument")
            }
            return PushDevice(token: token, gateway: gateway, keyset: keyset)
        }
        guard let topic = query["topic"],
            (1...Limits.pushTopicBytesMax).contains(topic.utf8.count)
        else { throw .push("Invalid topic argument") }
        let environment = query["environment"] ?? PushDevice.environments[0]
        guard PushDevice.environments.contains(environment) else {
            throw .push("Invalid environment argument")
        }
        return PushDevice(
            token: token, gateway: .apns2, environment: environment, topic: topic, keyset: keyset)
    }

    private func pushChannels(_ name: String) throws(PubNubError) -> [String] {
        let channels = query.list(name).withoutRepeats()
        // Nothing ever happens in a wildcard, and nobody is told of presence.
        guard !channels.isEmpty,
            channels.allSatisfy({
                isValidChannelName($0) && !$0.hasSuffix(Channel.presenceSuffix)
            })
        else { throw .push("Invalid channel name") }
        guard channels.count <= Limits.channelsPerPushChangeMax else {
            throw .push("At most \(Limits.channelsPerPushChangeMax) channels per call")
        }
        return channels
    }

    private func pushPage() throws(PubNubError) -> PubNubRequest.PushPage {
        PubNubRequest.PushPage(
            start: query["start"].flatMap { $0.isEmpty ? nil : $0 },
            count: try integer("count", in: 1...Limits.channelsPerDeviceMax)
                ?? Limits.channelsPerDeviceMax)
    }
}
