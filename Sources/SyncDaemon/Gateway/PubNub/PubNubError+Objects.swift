// What App Context refuses.

import EventModel

extension PubNubError {
    static let noSuchObject = PubNubError(
        family: .objects, status: 404, message: "Requested object was not found.")

    /// - Source: The texts of PubNub's service, by what was to be changed.
    static func objectModified(_ endpoint: PubNubRequest.Endpoint) -> PubNubError {
        var what = "Object"
        if case .changeObjects(let request, _, _) = endpoint {
            what =
                switch request.directory {
                case .users: "User"
                case .channels: "Channel"
                case .members, .memberships: "Membership"
                }
        }
        return PubNubError(
            family: .objects, status: 412,
            message: "\(what) to update has been modified after it was read.")
    }

    /// - Parameter place: `body`, `path` or `query`.
    static func invalidObject(_ message: String, _ name: String, in place: String) -> PubNubError {
        PubNubError(
            family: .objects, status: 400,
            message: "Request payload contained invalid input.",
            details: [Detail(message: message, location: name, locationType: place)])
    }
}
