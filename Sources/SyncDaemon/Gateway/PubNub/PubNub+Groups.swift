// Channel groups of an SDK.

import EventModel

extension PubNubRouter {
    static func group(
        _ request: PubNubRequest.GroupRequest, in context: PubNubContext
    ) -> HTTPResponse? {
        switch request {
        case .list(let group):
            PubNubReplyEncoder.group(group, channels: context.channels(of: group))
        case .listAll:
            PubNubReplyEncoder.groups(
                context.engine.groups.groups(inKeyset: context.keyset.subscribeKey))
        case .add(let group, let channels): change(group, .add(channels), in: context)
        case .remove(let group, let channels): change(group, .remove(channels), in: context)
        case .delete(let group): change(group, .delete, in: context)
        }
    }

    private static func change(
        _ group: String, _ change: GroupChange, in context: PubNubContext
    ) -> HTTPResponse? {
        let group = ChannelGroup(group, keyset: context.keyset.subscribeKey)
        return context.submit(.changeGroup(group, change), in: group.name)
    }
}
