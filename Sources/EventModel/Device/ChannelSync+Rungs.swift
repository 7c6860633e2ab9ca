// From one rung to the next: when a channel is compared, and what starts anew when it differs.

extension ChannelSync {
    /// Compares with the server's state, and climbs a rung when they differ.
    mutating func compare(with state: Digest, at cursor: Timetoken, _ step: inout Step) {
        // A page told more already; the next one is compared with what was told last.
        guard cursor >= compared.cursor else { return }
        let hasMoved = compared.settle(state, at: cursor)
        let cursor = hasMoved ? compared.cursor : cursor
        (told, catchesUp) = ((cursor, state), false)
        guard compared.cursor == cursor, compared.key != nil, let own = compared.state
        else { return }
        if own == state {
            finishSnapshot(&step)
            agreed()
        } else {
            isVerified = false
            climb(&step)
        }
    }

    /// What is here comes to what the server said: what failed before does not matter any more.
    mutating func agreed() {
        (repairs, failedSnapshots) = (0, 0)
        isDoubted = false
        isVerified = true
    }

    private mutating func climb(_ step: inout Step) {
        if isSnapshot {
            failedSnapshots += 1
        } else if repairs == 0, window == nil {
            needsRepair = true
            step.questions += subscribe().questions
            return
        }
        if failedSnapshots < Self.snapshotsMax {
            startSnapshot(&step)
        } else if compared.isUnopened {
            pages.isRefused = true
        } else if isSnapshot {
            // The server contradicts itself. What it sent is shown, and not called verified.
            finishSnapshot(&step)
            isDoubted = true
        }
    }

    // MARK: Rungs

    /// Snapshots of one session that may fail, before the device stops to ask for more.
    static let snapshotsMax = 2

    mutating func accept(_ reply: SubscribedChannel, _ step: inout Step) {
        // A new run of the server may know less than the last one: it was perhaps set back.
        if let known = base.epoch, known != epoch { step.hasLostServer = true }
        if isTail {
            if base.epoch == nil {
                base = ChannelBase(cache: DeviceCache(cursor: reply.cursor))
                startsNow = false
                step.tailBegan = reply.cursor
                toldThrough = reply.cursor
            }
            base.accept(epoch: epoch, key: nil)
        } else if incoming != nil {
            incoming?.accept(epoch: epoch, key: reply.key)
        } else {
            base.accept(epoch: epoch, key: reply.key)
            step.hasMoved = true
        }
    }

    /// Everything comes anew; what is shown stays until it is complete.
    mutating func restart(_ step: inout Step) {
        rung = .snapshot
        startAnew()
        if incoming == nil { step.hasMoved = true }
    }

    mutating func startAnew() {
        needsRepair = false
        startsNow = false
        isSnapshot = true
        // Not without the epoch: another one says that answers may be lost.
        let epoch = isTail ? nil : base.epoch
        var fresh =
            window == nil
            ? ChannelBase(cache: DeviceCache(), epoch: epoch) : .window(epoch: epoch)
        incoming = base.isEmpty || isTail ? nil : fresh
        if incoming == nil {
            // What is no row of this base is none of the next one, and still to be dropped.
            fresh.strays = base.strays
            base = fresh
        }
        forgetPage()
    }

    mutating func startSnapshot(_ step: inout Step) {
        restart(&step)
        step.questions += subscribe().questions
    }

    /// What came anew takes the place of what was shown.
    private mutating func finishSnapshot(_ step: inout Step) {
        isSnapshot = false
        guard let incoming else { return }
        step.rows += incoming.changes(from: base)
        step.hasMoved = true
        step.healedBy = .snapshot
        base = incoming
        self.incoming = nil
    }

    /// A page contradicts itself, or what is here.
    mutating func distrust(_ step: inout Step) {
        isVerified = false
        climb(&step)
    }
}
