// Answers and bodies that come in parts: streams of events, and files.

import EventModel

extension HTTPDoor {
    // MARK: Streams

    func connectionDidTake(_ connection: SessionID) {
        guard !hub.polls.isOpen(on: connection), let stream = stream(on: connection) else { return }
        lastCommand += 1
        guard let response = isDraining ? stream.refusal(.draining) : stream.goOn(as: lastCommand)
        else { return }
        answer(connection, with: response)
    }

    func stream(on connection: SessionID) -> (any HTTPStreamCall)? {
        streams[connection] == nil ? nil : waiting[connection] as? any HTTPStreamCall
    }

    /// A stream does so also while its peer has not taken all of what there was.
    func waitsForEvents(_ connection: SessionID) -> Bool {
        hub.polls.isOpen(on: connection) || streams[connection] != nil
    }

    /// Sends a sign of life where nothing was said for long.
    func sayThatStreamsGoOn() {
        for (connection, last) in streams
        where last + UInt64(Limits.streamSilenceSeconds) * 1000 <= now {
            // One that waits for nothing has not taken yet what there was.
            guard hub.polls.isOpen(on: connection), let stream = stream(on: connection) else {
                continue
            }
            answer(connection, with: stream.sign)
        }
    }

    // MARK: Files

    func connection(_ connection: SessionID, didReceive part: [UInt8], isLast: Bool) {
        // It may have been answered already.
        guard let call = waiting[connection] as? any HTTPBodyCall else { return }
        if let response = call.take(part, isLast: isLast) {
            answer(connection, with: response)
        } else if call.isFull {
            hub.outlet.hold(connection, true)
        }
    }

    /// Takes what a thread of files says.
    func finish(_ answer: FileAnswer) {
        guard let call = call(for: answer.origin) as? any HTTPFileCall else { return }
        let connection = answer.origin.session
        if let response = call.hear(answer.result) {
            self.answer(connection, with: response)
        } else if let body = call as? any HTTPBodyCall, !body.isFull {
            hub.outlet.hold(connection, false)
        }
    }
}
