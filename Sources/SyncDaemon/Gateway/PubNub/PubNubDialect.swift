// PubNub's requests among all requests, and what SDKs hear of those that are too large to read.

import EventModel

/// What an SDK asks is PubNub's by its path.
enum PubNubDialect {
    /// How a request is answered; `nil` when its path is none of PubNub's.
    static func answer(_ asking: HTTPAsking) -> HTTPAnswer? {
        let now = Timetoken(rawValue: asking.hub.engine.wallTicks())
        let request = PubNubRequestDecoder.decode(asking.request, now: now) {
            asking.tenants.owner(of: $0, in: $1, at: asking.hub.engine.seconds)
        }
        switch request {
        case nil: return nil
        case .failure(let error)?: return .now(error.response)
        case .success(let request)?:
            // The door refuses who names no tenant.
            let keyset =
                asking.tenants.keysets[request.subscribeKey]
                ?? Keyset(subscribeKey: request.subscribeKey)
            do throws(PubNubError) {
                var context = PubNubContext(
                    request: request, keyset: keyset, origin: asking.origin, hub: asking.hub,
                    credential: try request.credential(asking, in: keyset),
                    accounts: asking.tenants.accounts, audit: asking.tenants.audit)
                context.files = asking.files
                context.address = asking.address(in: keyset)
                return .call(context)
            } catch {
                return .refused(error.response)
            }
        }
    }

    /// Whether a target is long because of channels: a backend's has a token, and does not queue
    /// behind its clients for it.
    static func namesChannels(_ request: HTTPRequest) -> Bool {
        !request.path.hasPrefix("/v3/pam/")
    }

    /// Channels that a request may put into a group or take out, by its commas: it is not read yet.
    static func groupedCount(of request: HTTPRequest) -> Int {
        guard request.path.hasPrefix("/v1/channel-registration/"), request.target.contains("=")
        else { return 0 }
        let names = request.target.replacing("%2C", with: ",").replacing("%2c", with: ",")
        return 1 + names.utf8.count { $0 == UInt8(ascii: ",") }
    }

    /// What to say of a request that is not read to its end: SDKs put whole messages into targets.
    static func response(to refusal: HTTPRefusal, at now: Timetoken) -> HTTPResponse {
        switch refusal {
        case .broken: refusal.response
        case .targetTooLong: PubNubError.requestTooLong.response
        case .bodyTooLong(let request):
            PubNubError.bodyTooLarge(for: request, at: now) ?? refusal.response
        }
    }
}
