// An error in the words of PubNub's service, in the shape that the asked endpoint has for errors.

import EventModel
import JSON

/// A refusal that an SDK understands; `PubNubError+Catalogue.swift` holds them all.
struct PubNubError: Error, Hashable, Sendable {
    /// The shape of the body.
    enum Family: Hashable, Sendable {
        /// Subscribe, time and what every endpoint shares.
        case gateway
        /// Publish and signal; their bodies end with the time of the answer.
        case publish(Timetoken)
        case presence
        case actions
        case history
        /// Channel groups.
        case groups
    }

    /// Which part of a request was wrong.
    struct Detail: Hashable, Sendable {
        var message: String
        var location: String
        /// `body`, `path` or `query`.
        var locationType: String
    }

    let family: Family
    /// Also in most bodies: JavaScript takes the body's for the response's.
    let status: Int
    /// The SDK for Swift tells errors apart by the documented texts.
    let message: String
    /// Only for actions.
    var details: [Detail] = []
    /// What was refused, where a token is missing.
    var channels: [String] = []
    var groups: [String] = []
    /// Who speaks, for the gateway's family.
    var service = "Access Manager"
    var headers: [HTTPResponse.Header] = []

    /// The response, `Content-Type` and all: JavaScript throws at an error without one.
    var response: HTTPResponse {
        var json = JSONWriter(reserving: 256)
        switch family {
        case .gateway: gateway(&json)
        case .publish(let timetoken): publish(timetoken, &json)
        case .presence: presence(&json)
        case .actions: actions(&json)
        case .history: history(&json)
        case .groups: channelGroups(&json)
        }
        return .pubNub(status, json.bytes, headers: headers)
    }

    // MARK: Bodies

    private func gateway(_ json: inout JSONWriter) {
        json.beginObject()
        json.name("message")
        json.string(message)
        if !channels.isEmpty || !groups.isEmpty {
            json.name("payload")
            json.beginObject()
            if !channels.isEmpty {
                json.name("channels")
                json.strings(channels)
            }
            if !groups.isEmpty {
                json.name("channel-groups")
                json.strings(groups)
            }
            json.endObject()
        }
        json.name("error")
        json.bool(true)
        json.name("service")
        json.string(service)
        json.name("status")
        json.integer(status)
        json.endObject()
    }

    private func publish(_ timetoken: Timetoken, _ json: inout JSONWriter) {
        json.beginArray()
        json.integer(0)
        json.string(message)
        json.quoted(timetoken.rawValue)
        json.endArray()
    }

    private func presence(_ json: inout JSONWriter) {
        json.beginObject()
        if status == 404 {  // The service's own body for an unknown path has no status.
            json.name("message")
            json.string(message)
            json.name("error")
            json.integer(1)
        } else {
            json.name("status")
            json.integer(status)
            json.name("error")
            json.integer(1)
            json.name("message")
            json.string(message)
        }
        json.name("service")
        json.string("Presence")
        json.endObject()
    }

    private func actions(_ json: inout JSONWriter) {
        json.beginObject()
        json.name("status")
        json.integer(status)
        json.name("error")
        json.beginObject()
        // Byte for byte: the service writes these two members in two orders.
        let startsWithMessage = status == 413 || status == 415 || status == 429 || status >= 500
        if startsWithMessage {
            json.name("message")
            json.string(message)
        }
        json.name("source")
        json.string("actions")
        if !startsWithMessage {
            json.name("message")
            json.string(message)
        }
        if !details.isEmpty {
            json.name("details")
            json.beginArray()
            for detail in details {
                json.beginObject()
                json.name("message")
                json.string(detail.message)
                json.name("location")
                json.string(detail.location)
                json.name("locationType")
                json.string(detail.locationType)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        json.endObject()
    }

    private func history(_ json: inout JSONWriter) {
        json.beginObject()
        json.name("status")
        json.integer(status)
        json.name("error")
        json.bool(true)
        json.name("error_message")
        json.string(message)
        json.name("channels")
        json.beginObject()
        json.endObject()
        json.endObject()
    }

    private func channelGroups(_ json: inout JSONWriter) {
        json.beginObject()
        json.name("status")
        json.integer(status)
        json.name("message")
        json.string(message)
        json.name("service")
        json.string("channel-registry")
        json.name("error")
        json.bool(true)
        json.endObject()
    }
}

extension JSONWriter {
    mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
