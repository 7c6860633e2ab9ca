// The ledger as a node has it: its own, or another daemon's over a link.

import EventModel

/// The door to the ledger, and who serves it.
struct NodeLedger {
    /// What its parts are told.
    struct Surroundings {
        let configuration: Configuration
        let start: StoreStart
        let floors: KnownFloors
        let log: Log
        let clock: DaemonClock
        let reactors: ReactorSwitch
        let accounts: Accounts
        /// Where this daemon's clients were under the one that ordered before.
        let promises: [PresencePromise]

        fileprivate func door(
            isElsewhere: Bool, _ receiver: any CommitReceiver
        ) -> LedgerDoor {
            LedgerDoor(
                start, clock: clock, isElsewhere: isElsewhere, floors: floors,
                unstoredBytesMax: configuration.cacheBytes(Limits.unstoredBytesMax),
                receiver: receiver)
        }
    }

    let door: LedgerDoor
    let keeper: any DoorKeeper
    /// Of this daemon's clients alone, where another one knows who is where.
    let presence: PresenceThread
    let presenceDoor: any PresenceDoor
    /// `nil`: no daemon can follow this one.
    let links: LinkServer?

    /// This daemon's own, or another one's where there is a connection to that.
    ///
    /// - Parameters:
    ///   - lost: Called when the link has ended.
    ///   - failed: Called when the store is beyond use.
    static func serving(
        _ opened: sending OpenedLedger, over connection: LinkConnection?, _ around: Surroundings,
        counters: Counters, quarantine: Quarantine, troubles: StoreTroubles,
        lost: @escaping @Sendable () -> Void, failed: @escaping @Sendable (StoreError) -> Void
    ) throws(StartError) -> NodeLedger {
        if let connection { return try NodeLedger(over: connection, around, lost: lost) }
        return NodeLedger(
            on: opened, around, counters: counters, quarantine: quarantine, troubles: troubles,
            failed: failed)
    }

    /// This daemon's own.
    private init(
        on opened: sending OpenedLedger, _ around: Surroundings, counters: Counters,
        quarantine: Quarantine, troubles: StoreTroubles,
        failed: @escaping @Sendable (StoreError) -> Void
    ) {
        guard let store = opened.store else {
            preconditionFailure("A ledger is here, or elsewhere.")
        }
        let configuration = around.configuration
        // What is said to reactors goes to the daemons that follow as well.
        links =
            configuration.cluster == nil
            ? nil : LinkServer(local: around.reactors, reactorCount: configuration.reactorCount)
        let receiver: any CommitReceiver & PresenceReceiver = links ?? around.reactors
        door = around.door(isElsewhere: false, receiver)
        let presence = PresenceThread(
            keysets: configuration.keysets, order: door.order, accounts: around.accounts,
            receiver: receiver,
            holding: configuration.cluster == nil ? 0 : Limits.presenceHoldMilliseconds)
        presence.keep(around.promises)
        (self.presence, presenceDoor) = (presence, presence)
        keeper = LedgerThread(
            store: store, door: door, tombstoneTicksKept: configuration.tombstoneTicksKept,
            mutationTicksKept: configuration.mutationTicksKept,
            webhooks: configuration.webhooks, counters: counters, log: around.log,
            quarantine: quarantine, accounts: around.accounts, troubles: troubles, fail: failed)
    }

    /// Another daemon's.
    private init(
        over connection: LinkConnection, _ around: Surroundings,
        lost: @escaping @Sendable () -> Void
    ) throws(StartError) {
        if let cluster = around.configuration.cluster {
            // Whether it could, before it has to: others are to follow it one day.
            _ = try openLink(at: cluster.listen)
        }
        door = around.door(isElsewhere: true, around.reactors)
        presence = PresenceThread(
            keysets: around.configuration.keysets, order: nil, accounts: around.accounts,
            receiver: around.reactors)
        let client = LinkClient(
            over: connection, door: door, after: around.start.last, presence: presence,
            around.promises, accounts: around.accounts, receiver: around.reactors, log: around.log,
            lost: lost)
        (keeper, presenceDoor, links) = (client, client, nil)
        guard client.waitForStart() else { throw .link(.silent) }
    }

    /// Lets other daemons in, where there is a cluster.
    func letIn(_ around: Surroundings) throws(StartError) {
        guard let links, let cluster = around.configuration.cluster else { return }
        let desk = LinkServer.Desk(
            door: door, presence: presence, accounts: around.accounts, key: cluster.key,
            log: around.log)
        links.start(on: try openLink(at: cluster.listen), at: desk)
        links.startSharing(at: desk)
    }
}
