// What is left alone because the file is damaged there, so that everything else goes on.

import Basis
import EventModel
import Synchronization

/// Places in the store that could not be read or written, as clients name them.
///
/// Shared by the ledger, the readers and the reactors. It lasts until the daemon ends: the file is
/// mended while none runs. Only what waits for webhooks is tried again meanwhile.
final class Quarantine: Sendable {
    enum Place: Sendable, Hashable, CustomStringConvertible {
        case channel(Channel)
        /// A device's mutations.
        case author(Author)
        case group(ChannelGroup)
        /// The revoked tokens of a keyset.
        case revocations(keyset: ExactText)
        /// What is granted by version 2 in a keyset.
        case keyGrants(keyset: ExactText)
        /// Devices that hear by push.
        case pushDevices(keyset: ExactText)
        /// The rows of files, of all keysets: their index is one.
        case files
        /// What waits for webhooks.
        case outbox
        /// Forgetting what is over.
        case housekeeping

        var description: String {
            switch self {
            case .channel(let channel): "channel \(channel.name) of keyset \(channel.keyset)"
            case .author(let author): "mutations of user \(author.userID)"
            case .group(let group): "channel group \(group.name) of keyset \(group.keyset)"
            case .revocations(let keyset): "revoked tokens of keyset \(keyset.string)"
            case .keyGrants(let keyset): "grants to auth keys of keyset \(keyset.string)"
            case .pushDevices(let keyset): "devices for push of keyset \(keyset.string)"
            case .files: "files of channels"
            case .outbox: "what waits for webhooks"
            case .housekeeping: "forgetting what is over"
            }
        }
    }

    private struct State {
        var places: Set<Place> = []
        /// From up to which position a channel's changes cannot be read.
        var unreadable: [Channel: Timetoken] = [:]
    }

    private let state = Locked(State())
    /// So that asking costs nothing while nothing is damaged.
    private let isEmpty = Atomic(true)
    private let troubles: StoreTroubles?

    /// - Parameter troubles: Told of each damage that the ledger met, and where that was.
    init(troubles: StoreTroubles? = nil) {
        self.troubles = troubles
    }

    // MARK: Writing

    /// Hears of damage that is not left alone yet.
    func met(_ place: Place, _ error: StoreError) {
        troubles?.damaged(error, in: place.description)
    }

    /// Leaves a place alone from now on.
    ///
    /// - Returns: Whether there is a place, and it was not left alone before.
    func isolate(_ place: Place?, _ error: StoreError) -> Bool {
        troubles?.damaged(error, in: place?.description ?? "every write")
        guard let place else { return false }
        return state.withLock { state in
            guard state.places.count < Limits.damagedPlacesMax else { return false }
            isEmpty.store(false, ordering: .releasing)
            return state.places.insert(place).inserted
        }
    }

    /// Has it tried again: what is lost by leaving it alone is more than what trying costs.
    func release(_ place: Place) {
        guard holds(place) else { return }
        state.withLock { state in
            state.places.remove(place)
            isEmpty.store(
                state.places.isEmpty && state.unreadable.isEmpty, ordering: .releasing)
        }
    }

    func holds(_ place: Place) -> Bool {
        guard !isEmpty.load(ordering: .acquiring) else { return false }
        return state.withLock { $0.places.contains(place) }
    }

    /// Whether a write would touch what is left alone.
    func holds(_ write: Write) -> Bool {
        guard !isEmpty.load(ordering: .acquiring) else { return false }
        return holds(write.place) || (write.mutation != nil && holds(.author(write.author)))
    }

    // MARK: Reading

    /// Hears that a channel's changes after a position could not be read.
    func cannotRead(_ channel: Channel, after position: Timetoken) {
        state.withLock { state in
            let known = state.unreadable[channel]
            guard known != nil || state.unreadable.count < Limits.damagedPlacesMax else { return }
            state.unreadable[channel] = max(known ?? .zero, position)
            isEmpty.store(false, ordering: .releasing)
        }
    }

    /// Whether a device at this position can be brought up to date, as far as is known.
    func canRead(_ channel: Channel, after position: Timetoken) -> Bool {
        guard !isEmpty.load(ordering: .acquiring) else { return true }
        return state.withLock { $0.unreadable[channel].map { position > $0 } ?? true }
    }
}

extension Write {
    /// What it changes, besides its device's mutations.
    var place: Quarantine.Place {
        switch operation {
        case .changeGroup(let group, _): .group(group)
        case .revoke(let token): .revocations(keyset: token.keyset)
        case .grant: .keyGrants(keyset: ExactText(channel.keyset))
        case .changeDevice: .pushDevices(keyset: ExactText(channel.keyset))
        case .changeFile: .files
        default: .channel(channel)
        }
    }
}

extension StoreError {
    /// What a client is told whose write or question met it.
    var refusal: ProtocolError {
        switch self {
        case .full: .storeFull
        case .damaged, .unstorable: .storeDamaged
        default: .storeUnavailable
        }
    }
}
