// From one rung to the next: when a channel is compared, and what starts anew when it differs.

extension ChannelSync {
    /// Compares with the server's state, and climbs a rung when they differ.
    mutating func compare(with state: Digest, at cursor: Timetoken, _ step: inout Step) {
        let compared = incoming ?? base
        guard compared.cursor == cursor, compared.key != nil else { return }
        if compared.digest == state {
            finishSnapshot(&step)
            (repairs, failedSnapshots) = (0, 0)
            isVerified = true
        } else {
            isVerified = false
            climb(&step)
        }
    }

    private mutating func climb(_ step: inout Step) {
        if isSnapshot {
            failedSnapshots += 1
        } else if repairs == 0 {
            needsRepair = true
            step.questions += subscribe().questions
            return
        }
        if failedSnapshots < Self.snapshotsMax {
            startSnapshot(&step)
        } else if isSnapshot {
            // The server contradicts itself. What it sent is shown, and not called verified.
            finishSnapshot(&step)
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
        needsRepair = false
        startsNow = false
        rung = .snapshot
        isSnapshot = true
        incoming = base.isEmpty || isTail ? nil : ChannelBase()
        if incoming == nil {
            // Not without the epoch: another one says that answers may be lost.
            base = ChannelBase(cache: DeviceCache(), epoch: isTail ? nil : base.epoch)
            step.hasMoved = true
        }
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
}
