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
        /// App Context.
        case objects
        case files
        /// Mobile push.
        case push
        /// The making of tokens, and taking them back.
        case grant, revoke, audit
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
        case .objects: objects("objects", &json)
        case .files: objects("files", &json)
        case .push: push(&json)
        case .grant: tokens("grant", &json)
        case .revoke: tokens("revoke", &json)
        case .audit: tokens("audit", &json)
        }
        var response = HTTPResponse.pubNub(status, json.bytes, headers: headers)
        if family == .objects || family == .files { response.contentType = "application/json" }
        return response
    }

    // MARK: Bodies

    private func gateway(_ json: inout JSONWriter) {
        json.beginObject()
        json.member("message", message)
        if !channels.isEmpty || !groups.isEmpty {
            json.beginObject("payload")
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
        json.member("error", true)
        json.member("service", service)
        json.member("status", status)
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
            json.member("message", message)
            json.member("error", 1)
        } else {
            json.member("status", status)
            json.member("error", 1)
            json.member("message", message)
        }
        json.member("service", "Presence")
        json.endObject()
    }

    private func actions(_ json: inout JSONWriter) {
        json.beginObject()
        json.member("status", status)
        json.beginObject("error")
        // Byte for byte: the service writes these two members in two orders.
        let startsWithMessage = status == 413 || status == 415 || status == 429 || status >= 500
        if startsWithMessage {
            json.member("message", message)
        }
        json.member("source", "actions")
        if !startsWithMessage {
            json.member("message", message)
        }
        write(details, into: &json)
        json.endObject()
        json.endObject()
    }

    private func objects(_ source: String, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("status", status)
        json.beginObject("error")
        json.member("message", message)
        json.member("source", source)
        write(details, into: &json)
        json.endObject()
        json.endObject()
    }

    private func tokens(_ source: String, _ json: inout JSONWriter) {
        json.beginObject()
        json.beginObject("error")
        json.member("message", message)
        json.member("source", source)
        write(details, into: &json)
        json.endObject()
        json.member("service", service)
        json.member("status", status)
        json.endObject()
    }

    private func write(_ details: [Detail], into json: inout JSONWriter) {
        guard !details.isEmpty else { return }
        json.beginArray("details")
        for detail in details {
            json.beginObject()
            json.member("message", detail.message)
            json.member("location", detail.location)
            json.member("locationType", detail.locationType)
            json.endObject()
        }
        json.endArray()
    }

    private func history(_ json: inout JSONWriter) {
        json.beginObject()
        json.member("status", status)
        json.member("error", true)
        json.member("error_message", message)
        json.beginObject("channels")
        json.endObject()
        json.endObject()
    }

    private func push(_ json: inout JSONWriter) {
        json.beginObject()
        json.member("error", message)
        json.endObject()
    }

    private func channelGroups(_ json: inout JSONWriter) {
        json.beginObject()
        json.member("status", status)
        json.member("message", message)
        json.member("service", "channel-registry")
        json.member("error", true)
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
