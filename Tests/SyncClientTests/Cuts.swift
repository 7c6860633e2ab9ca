// Channels that are too long for one window, wherever their segments begin.

import EventModel
import SyncClient

@testable import syncctl

extension SyncClient {
    /// Publishes until a segment begins that is not the channel's first one.
    ///
    /// Windows begin where segments do, and that is by chance: of 150 messages one window in 60
    /// had them all. It leaves out what is before this cut if enough messages follow.
    ///
    /// - Parameter payload: Of the message of a number, from 0 on.
    /// - Returns: How many there are.
    func publishUntilCut(
        to channel: String, _ payload: @Sendable (Int) -> String
    ) async throws -> Int {
        var (count, isCut) = (0, false)
        while !isCut {
            let message = try await publish(Message(payload: payload(count)), to: channel)
            isCut = count > 0 && message.beginsSegment(ofMessages: CacheFinding.segmentMessages)
            count += 1
        }
        return count
    }
}
