// Who has how many uploads or downloads under way, so that nobody has all of them. Pure.

import EventModel

/// Whose places they are.
struct FilePeer: Hashable, Sendable {
    enum Who: Hashable, Sendable {
        /// The tenant's own servers, who take no more than the tenant may.
        case backend
        /// Whom a token names.
        ///
        /// - Parameter at: Of downloads, from where: a link that was passed on takes no place of
        ///   who did so.
        case user(ExactText, at: PeerAddress? = nil)
        case key(AuthKeyID, at: PeerAddress? = nil)
        /// Nobody proved who it is.
        case address(PeerAddress)
        /// Nor is there an address, as at a socket with a path.
        case nobody
    }

    let tenant: ExactText
    let who: Who
}

/// The places of one direction.
struct FilePlaces: Sendable {
    enum Verdict: Hashable, Sendable {
        case letIn
        /// There is none.
        case full
        /// The tenant, or this peer, has as many as it may.
        case hasItsShare
    }

    private let max: Int
    private let perPeerMax: Int
    private(set) var total = 0
    private var tenants: [ExactText: Int] = [:]
    private var peers: [FilePeer: Int] = [:]

    init(max: Int, perPeerMax: Int) { (self.max, self.perPeerMax) = (max, perPeerMax) }

    /// Takes one more.
    ///
    /// No tenant has more than are still free for the others (dynamic thresholds, Choudhury and
    /// Hahne, 1998): so there is always one for who comes.
    mutating func take(for peer: FilePeer) -> Verdict {
        guard total < max else { return .full }
        let (ofTenant, ofPeer) = (tenants[peer.tenant, default: 0], peers[peer, default: 0])
        guard ofTenant < max - total, ofPeer < perPeerMax || peer.who == .backend else {
            return .hasItsShare
        }
        total += 1
        tenants[peer.tenant] = ofTenant + 1
        peers[peer] = ofPeer + 1
        return .letIn
    }

    /// Gives one back.
    mutating func leave(_ peer: FilePeer) {
        guard let ofTenant = tenants[peer.tenant], let ofPeer = peers[peer] else {
            preconditionFailure("A place was given back that nobody had.")
        }
        total -= 1
        tenants[peer.tenant] = ofTenant > 1 ? ofTenant - 1 : nil
        peers[peer] = ofPeer > 1 ? ofPeer - 1 : nil
    }
}
