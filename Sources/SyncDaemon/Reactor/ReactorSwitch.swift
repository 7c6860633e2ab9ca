// What brings commits and answers from the threads that know no reactor to their reactors.

import EventModel

/// Gets each step and each answer to whom it concerns; any thread may call.
final class ReactorSwitch: CommitReceiver, ReadReceiver, PresenceReceiver, FileReceiver {
    let interests = InterestTable()
    /// One for each reactor, by its number.
    let mailboxes: [Mailbox<ReactorMessage>]

    init(count: Int) {
        mailboxes = (0..<count).map { _ in Mailbox(capacity: Limits.reactorMailboxMax) }
    }

    /// Tells each reactor what concerns it of a step: events that its sessions follow, and their
    /// answers; nothing when there are none.
    func publish(_ step: Commit) {
        let wanted = interests.reactors(wanting: step.events)
        for (mailbox, part) in zip(mailboxes, step.parts(for: mailboxes.count, wanted: wanted)) {
            if let part { heed(mailbox.post(.commit(part))) }
        }
    }

    func deliver(_ answer: ReadAnswer) {
        post(.read(answer), to: answer.asker.reactor)
    }

    func deliver(_ answer: PresenceAnswer) {
        post(.presence(answer), to: answer.origin.reactor)
    }

    func deliver(_ answer: FileAnswer) { post(.file(answer), to: answer.origin.reactor) }

    func post(_ message: ReactorMessage, to reactor: Int) {
        heed(mailboxes[reactor].post(message))
    }

    /// A reactor drains its mailbox whole in each turn: so many messages mean that it hangs.
    ///
    /// That is our bug, and no reason to lose events: systemd restarts the daemon and the devices
    /// resume from their cursors.
    private func heed(_ isTaken: Bool) {
        precondition(isTaken, "A reactor has not run for \(Limits.reactorMailboxMax) messages.")
    }
}
