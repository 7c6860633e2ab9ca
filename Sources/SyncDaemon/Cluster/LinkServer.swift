// The daemon that orders, for those that follow it: every step goes to each of them.

import Basis
import EventModel
import Glibc

/// Gets each step to the reactors of this daemon and to all daemons that follow.
///
/// An answer's origin names a reactor of this daemon's, or stands for one of the links: those have
/// numbers behind the reactors'.
final class LinkServer: CommitReceiver, PresenceReceiver {
    /// What daemons ask.
    struct Desk: Sendable {
        let door: LedgerDoor
        let presence: PresenceThread
        let accounts: Accounts
        let uses = Locked(ClusterUse())
        /// What each shows that it knows.
        let key: [UInt8]
        let log: Log
    }

    private struct State {
        var links: [ServedLink?] = Array(repeating: nil, count: Limits.linksMax)
        var guests = LinkGuests<LinkSocket>()
        /// Counts links, so that a late answer to one that is gone finds nobody.
        var generation: UInt32 = 0
    }

    private let local: any CommitReceiver & PresenceReceiver
    private let reactorCount: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - local: This daemon's own.
    ///   - reactorCount: How many reactors that has.
    init(local: any CommitReceiver & PresenceReceiver, reactorCount: Int) {
        (self.local, self.reactorCount) = (local, reactorCount)
    }

    /// Who follows.
    var followers: [ServedLink.Follower] {
        state.withLock { $0.links.compactMap { $0?.follower } }
    }

    // MARK: Out

    func publish(_ step: Commit) {
        var own = step
        own.answers.removeAll { $0.origin.reactor >= reactorCount }
        local.publish(own)
        state.withLock { state in
            var frame: [UInt8]?
            for link in state.links.lazy.compactMap(\.self) {
                let answers =
                    own.answers.count == step.answers.count ? [] : link.duties.answers(of: step)
                guard step.concernsAll || !answers.isEmpty else { continue }
                if !answers.isEmpty { link.send(LinkWriter.frame(LinkNews.answers(answers))) }
                // Once for all.
                let bytes = frame ?? LinkWriter.frame(LinkNews.step(step))
                frame = bytes
                link.send(bytes)
            }
        }
    }

    func deliver(_ answer: PresenceAnswer) {
        guard answer.origin.reactor >= reactorCount else { return local.deliver(answer) }
        state.withLock { state in
            let link = state.links.lazy.compactMap(\.self).first {
                $0.duties.owns(answer.origin)
            }
            link?.send(LinkWriter.frame(LinkNews.presence(answer.origin.number, answer.reply)))
        }
    }

    // MARK: In

    /// Lets daemons in, until the process ends.
    func start(on listener: consuming FileDescriptor, at desk: Desk) {
        let socket = listener.release()
        _ = OSThread(name: "link-accept") { [self] in
            while true {
                let number = accept(socket, nil, nil)
                guard number >= 0 else {
                    // Out of descriptors, or somebody went before it was their turn.
                    usleep(10_000)
                    continue
                }
                let descriptor = FileDescriptor(owning: number)
                _ = fcntl(number, F_SETFD, FD_CLOEXEC)
                let guest = LinkSocket(owning: descriptor)
                let place = takePlace(guest, desk.log)
                _ = OSThread(name: "link-in") { [self] in
                    receive(guest, at: place, desk)
                }
            }
        }
    }

    /// Tells daemons what they may give tenants, until the process ends.
    func startSharing(at desk: Desk) {
        // Behind those of all links.
        let here = reactorCount + Limits.linksMax
        desk.uses.withLock { $0.add(here) }
        _ = OSThread(name: "link-share") { [self] in
            var known: [ExactText: TenantUse] = [:]
            while true {
                usleep(UInt32(Limits.clusterUseMilliseconds) * 1000)
                let own = desk.accounts.uses(besides: &known)
                let rates = desk.accounts.rates(perMilliseconds: Limits.clusterUseMilliseconds)
                let news = desk.uses.withLock { uses in
                    uses.hear(own, of: here)
                    return uses.endPeriod(rates)
                }
                desk.accounts.take(news[here] ?? [])
                for link in state.withLock({ $0.links.compactMap(\.self) }) {
                    guard let shares = news[link.duties.reactor] else { continue }
                    link.send(LinkWriter.frame(LinkNews.shares(shares)))
                }
            }
        }
    }

    /// - Returns: The guest's number.
    private func takePlace(_ guest: LinkSocket, _ log: Log) -> UInt64 {
        let host = guest.peerHost
        let (number, instead) = state.withLock { $0.guests.add(guest, from: host) }
        if let instead {
            instead.connection.end()
            log.warning(
                "Too many come to the link's port and do not show the cluster's key: the oldest "
                    + "is sent away.", ["address": instead.host])
        }
        return number
    }

    /// Serves one daemon until its link ends.
    private func receive(_ socket: LinkSocket, at place: UInt64, _ desk: Desk) {
        var input = LinkInput(socket)
        let link: ServedLink
        do throws(LinkEnd) {
            defer { state.withLock { $0.guests.remove(place) } }
            link = try admit(socket, &input, at: desk)
        } catch {
            socket.end()
            if error == .wrongKey {
                desk.log.warning(
                    "Somebody without the cluster's key came to the link's port.",
                    ["address": socket.peerHost])
            }
            return
        }
        desk.uses.withLock { $0.add(link.duties.reactor) }
        desk.log.notice("A daemon follows.", ["link": link.slot])
        let end = link.serve(&input, at: desk)
        // Before another one has its place.
        desk.uses.withLock { $0.forget(link.duties.reactor) }
        state.withLock { $0.links[link.slot] = nil }
        desk.log.notice("A daemon follows no more: \(end).", ["link": link.slot])
    }

    /// Lets a daemon in that has the key.
    ///
    /// What is published from here on waits for it, behind the word that it is let in.
    private func admit(
        _ socket: LinkSocket, _ input: inout LinkInput, at desk: Desk
    ) throws(LinkEnd) -> ServedLink {
        let challenge = LinkChallenge(nonce: LinkChallenge.makeNonce())
        try socket.write(LinkWriter.frame(challenge))
        let hello = try LinkReader.value(
            LinkHello.self, of: try input.next(atMost: Limits.linkGuestFrameBytesMax))
        guard hello.isRight(for: challenge, key: desk.key) else { throw .wrongKey }
        let link: ServedLink? = state.withLock { (state) -> ServedLink? in
            guard let slot = state.links.firstIndex(where: { $0 == nil }) else { return nil }
            state.generation += 1
            let link = ServedLink(
                socket, slot: slot,
                LinkDuties(reactor: reactorCount + slot, generation: state.generation),
                ServedLink.Follower(address: socket.peer, since: Log.wallClock()))
            // What is settled was published before, and what was published before it is let in does
            // not come: so it says no more than that.
            link.send(
                LinkWriter.frame(
                    LinkWelcome(
                        to: hello, key: desk.key, epoch: desk.door.epochs.text,
                        term: desk.door.term, at: desk.door.order.settled)))
            state.links[slot] = link
            return link
        }
        guard let link else { throw .slow }
        return link
    }
}

extension Commit {
    /// Whether it says something that is for no asker alone.
    fileprivate var concernsAll: Bool {
        !events.isEmpty || durable != nil || !groups.isEmpty || !revoked.isEmpty
            || !keyGrants.isEmpty || !readMarks.isEmpty
    }
}
