// Channel groups of an SDK.

import EventModel

extension PubNubRouter {
    static func group(
        _ request: PubNubRequest.GroupRequest, in context: PubNubContext
    ) -> HTTPResponse? {
        switch request {
        case .list(let group):
            PubNubReplyEncoder.group(
                group, channels: Operations.channels(ofGroup: group, for: context))
        case .listAll:
            Operations.groups(for: context).map(PubNubReplyEncoder.groups)
                ?? PubNubError.tooManyGroupsToList.response
        case .add(let group, let channels):
            response(to: Operations.changeGroup(group, .add(channels), by: context), in: context)
        case .remove(let group, let channels):
            response(to: Operations.changeGroup(group, .remove(channels), by: context), in: context)
        case .delete(let group):
            response(to: Operations.changeGroup(group, .delete, by: context), in: context)
        }
    }
}
