// The read marks of the store in memory.

import EventModel

extension MemoryStore {
    func readMark(of user: String, in channel: Channel) -> Timetoken? {
        working.readMarks[channel]?[ExactText(user)]
    }

    func setReadMark(_ timetoken: Timetoken, of user: String, in channel: Channel) {
        working.readMarks[channel, default: [:]][ExactText(user)] = timetoken
    }
}
