// Moments of one store's retention clock, as another one has them.

import EventModel

extension Timetoken {
    /// Beyond all clocks what never ends stays where it is.
    fileprivate func moved(by ticks: Int64) -> Timetoken {
        guard rawValue < Limits.clockTicksMax else { return self }
        return Timetoken(rawValue: UInt64(max(0, Int64(rawValue) + ticks)))
    }
}

// An export has moments of the daemon's time: its clock and the retention clock differ by as much
// as the wall clock ever jumped.

extension KeptMessage {
    /// What of it a digest covers.
    var row: MessageRow { MessageRow(timetoken: timetoken, uuid: uuid, type: message.type) }

    func moved(by ticks: Int64) -> KeptMessage {
        var record = self
        record.expires = expires?.moved(by: ticks)
        return record
    }
}

extension KeptRevocation {
    func moved(by ticks: Int64) -> KeptRevocation {
        KeptRevocation(token: token, forgettable: forgettable.moved(by: ticks))
    }
}

extension KeptGrant {
    func moved(by ticks: Int64) -> KeptGrant {
        KeptGrant(grant: grant, forgettable: forgettable.moved(by: ticks))
    }
}
