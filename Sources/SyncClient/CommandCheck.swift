// What the daemon would refuse later is refused at the call.

import EventModel

extension Command {
    /// Finds names and types that the daemon does not take.
    ///
    /// - Throws: ``SyncClientError/invalidChannel(reason:)`` or
    ///   ``SyncClientError/invalidMessage(reason:)``.
    func check() throws(SyncClientError) {
        switch self {
        case .publish(let request):
            try Self.checkChannel(request.channel, isWritten: true)
            try Self.check(request.message)
        case .signal(let request):
            try Self.checkChannel(request.channel, isWritten: true)
            try Self.check(request.message)
            try Self.checkSignal(request.message)
        case .addAction(let request):
            try Self.checkChannel(request.channel, isWritten: true)
        case .removeAction(let request):
            try Self.checkChannel(request.action.channel, isWritten: true)
        case .editMessage(let request):
            try Self.checkChannel(request.channel, isWritten: true)
        case .deleteMessage(let request):
            try Self.checkChannel(request.channel, isWritten: true)
        case .deleteMessages(let request):
            try Self.checkChannel(request.channel, isWritten: true)
        case .removeActions(let request):
            try Self.checkChannel(request.channel, isWritten: true)
        case .history(let query): try Self.checkChannel(query.channel)
        case .older(let query): try Self.checkChannel(query.channel)
        case .actions(let query): try Self.checkChannel(query.channel)
        case .summaries(let query): try Self.checkChannel(query.channel)
        case .markRead(let mark): try Self.checkChannel(mark.channel, isWritten: true)
        case .unread(let channels): for name in channels { try Self.checkChannel(name) }
        case .hereNow(let query): try Self.checkChannel(query.channel)
        case .setState(let channel, _): try Self.checkChannel(channel)
        case .getState(let channel, _): try Self.checkChannel(channel)
        case .follow(let request): try Self.check(request.selection)
        case .changeGroup(let request): try Self.check(.group(request.group))
        case .group(let name): try Self.check(.group(name))
        case .directory(let query): try Self.checkChannel(query.directory.channelName)
        case .changeDirectory(let request):
            try Self.checkChannel(request.directory.channelName)
        case .whereNow: break
        case .hello, .subscribe, .unsubscribe, .unfollow, .repair, .endLive, .ping, .token: break
        }
    }

    static func checkChannel(
        _ name: String, isWritten: Bool = false
    ) throws(SyncClientError) {
        switch Channel.fault(inName: name, ofOne: true) {
        case .size(let bytes)?:
            throw .invalidChannel(
                reason: "a name has 1 to \(Limits.channelNameBytesMax) bytes, this one has "
                    + "\(bytes)")
        case .character?:
            throw .invalidChannel(reason: "a name has no comma and no control character")
        case .wildcard?:
            throw .invalidChannel(reason: "a name does not end in .*, which stands for many")
        case nil: break
        }
        guard !isWritten || !Channel(name).isPresence else {
            throw .invalidChannel(
                reason: "what ends in \(Channel.presenceSuffix) is the daemon's own, "
                    + "to be followed and not written to")
        }
    }

    private static func checkSignal(_ message: Message) throws(SyncClientError) {
        guard message.payload.utf8.count <= Limits.signalBytesMax, message.meta == nil else {
            throw .invalidMessage(
                reason: "a signal has at most \(Limits.signalBytesMax) bytes and no meta")
        }
    }

    private static func check(_ message: Message) throws(SyncClientError) {
        guard let type = message.type else { return }
        guard (1...Limits.messageTypeBytesMax).contains(type.utf8.count) else {
            throw .invalidMessage(
                reason: "a type has 1 to \(Limits.messageTypeBytesMax) bytes, this one has "
                    + "\(type.utf8.count)")
        }
        guard !type.utf8.contains(0) else {
            throw .invalidMessage(reason: "its type holds the character U+0000")
        }
    }
}
