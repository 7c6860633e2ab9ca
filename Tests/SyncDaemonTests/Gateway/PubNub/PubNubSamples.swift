// Requests and errors of the PubNub tests, and how they are read.

import EventModel
import Testing

@testable import SyncDaemon

/// The time of every answer in these tests.
let sampleTime = Timetoken(rawValue: 17_334_108_309_073_692)

func decoded(
    _ method: HTTPRequest.Method = .get, _ target: String, body: String = ""
) -> Result<PubNubRequest, PubNubError>? {
    decoded(method, target, body: Array(body.utf8))
}

func decoded(
    _ method: HTTPRequest.Method = .get, _ target: String, body: [UInt8]
) -> Result<PubNubRequest, PubNubError>? {
    PubNubRequestDecoder.decode(
        HTTPRequest(method: method, target: target, body: body), now: sampleTime)
}

/// What a request of the tenant `s` is about.
func endpoint(
    _ target: String, _ method: HTTPRequest.Method = .get, body: String = ""
) throws -> PubNubRequest.Endpoint {
    let request = try #require(decoded(method, target, body: body)).get()
    #expect(request.subscribeKey == "s")
    return request.endpoint
}

/// Status and body of the refusal; `nil` when there is none.
func refusal(
    _ method: HTTPRequest.Method = .get, _ target: String, body: String = ""
) -> String? {
    guard case .failure(let error)? = decoded(method, target, body: body) else { return nil }
    return text(of: error)
}

func text(of error: PubNubError) -> String { text(of: error.response) }

func text(of response: HTTPResponse) -> String {
    "\(response.status) " + String(decoding: response.body, as: UTF8.self)
}

extension HTTPResponse {
    subscript(header name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

extension PubNubRequest.Poll {
    static func sample(
        _ form: Form = .envelopes, channels: [String] = ["c"], groups: [String] = []
    ) -> PubNubRequest.Poll {
        PubNubRequest.Poll(
            form: form, channels: channels, groups: groups, cursor: .zero,
            beat: PubNubRequest.Beat(channels: channels, groups: groups))
    }
}
