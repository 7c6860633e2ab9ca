// Mobile push of an SDK: the operations behind it, and their answers.

import EventModel
import JSON

extension PubNubRouter {
    static func push(
        _ device: PushDevice, _ change: PushChange?, in context: PubNubContext
    ) -> OperationOutcome {
        change.map { Operations.change(device, $0, by: context) }
            ?? Operations.pushChannels(of: device, for: context)
    }
}

extension PubNubReplyEncoder {
    static func deviceChanged(by change: PushChange?) -> HTTPResponse {
        response { json in
            json.beginArray()
            json.integer(1)
            json.string(change == .removeAll ? "Removed Device" : "Modified Channels")
            json.endArray()
        }
    }

    /// - Parameter channels: Ascending.
    static func deviceChannels(
        _ channels: [String], _ page: PubNubRequest.PushPage
    ) -> HTTPResponse {
        let start = page.start.map(ExactText.init)
        let rest = channels.drop { channel in start.map { ExactText(channel) <= $0 } ?? false }
        return response(reserving: 4096) { json in json.strings(Array(rest.prefix(page.count))) }
    }
}

extension PubNubError {
    static let invalidDevice = push("Invalid device token")

    static func push(_ problem: String) -> PubNubError {
        PubNubError(family: .push, status: 400, message: problem)
    }
}
