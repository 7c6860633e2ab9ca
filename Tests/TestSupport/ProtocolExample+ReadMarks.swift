// What the examples say of read marks.

public import EventModel

extension ProtocolExample {
    static let inRoom = UnreadMessages(
        channel: "room", through: ada.messageTimetoken, count: 2, hasMore: false)
    static let inDen = UnreadMessages(channel: "den", through: nil, count: 1000, hasMore: true)
    /// What the frame `read` tells.
    public static let marks = [ReadMark(channel: "room", through: added)]
}
