// Files: what is to be brought, listed, fetched, taken away and told of.

import EventModel
import JSON

extension PubNubRequestReader {
    func files() throws(PubNubError) -> PubNubRequest.Endpoint {
        switch route.kind {
        case .uploadURL:
            return .files(.upload(channel: try writableChannel(), name: try bodyName()))
        case .fileURL:
            return .files(.url(channel: try writableChannel(), try fileID(), name: try fileName()))
        case .removeFile:
            return .files(
                .remove(channel: try writableChannel(), try fileID(), name: try fileName()))
        default:
            return .files(
                .list(
                    channel: try writableChannel(), after: try bound("next") ?? .zero,
                    limit: try integer("limit", in: 1...Limits.filesPageMax)
                        ?? Limits.filesPageMax))
        }
    }

    private func bodyName() throws(PubNubError) -> String {
        let text = String(decoding: body, as: UTF8.self)
        guard let name = try object(text).member("name")?.string, FileName.isValid(name) else {
            throw .invalidFile(
                "A name has 1 to \(Limits.fileNameBytesMax) bytes, no slash and no control "
                    + "character; . and .. are no names.", "name", in: "body")
        }
        return name
    }

    private func fileID() throws(PubNubError) -> FileID? { FileID(try text("file")) }

    private func fileName() throws(PubNubError) -> String { try text("name") }

    /// A message that tells of a file, as PubNub's listeners for files get it.
    func filePublication() throws(PubNubError) -> PubNubRequest.Endpoint {
        var publication = try publication()
        publication.file = try fileReference(in: publication.message.payload)
        publication.message = Message(
            payload: publication.message.payload, meta: publication.message.meta,
            type: FileMessage.type(publication.message.type))
        return .publish(publication)
    }

    /// - Returns: `nil` for a text: SDKs with a cipher key encrypt the whole.
    private func fileReference(
        in payload: String
    ) throws(PubNubError) -> PubNubRequest.FileReference? {
        guard let json = try? JSONValue(parsing: payload, depthMax: Limits.jsonDepthMax) else {
            throw .invalidJSON(family)
        }
        if json.string != nil { return nil }
        let file = json.member("file")
        guard let id = file?.member("id")?.string, let name = file?.member("name")?.string else {
            throw PubNubError(
                family: .publish(now), status: 400,
                message: "Send {\"message\":…,\"file\":{\"id\":…,\"name\":…}}.")
        }
        guard let id = FileID(id) else { throw .noSuchFile(.publish(now)) }
        return PubNubRequest.FileReference(id: id, name: name)
    }
}

extension PubNubError {
    /// - Parameter place: `body`, `path` or `query`.
    static func invalidFile(_ problem: String, _ name: String, in place: String) -> PubNubError {
        PubNubError(
            family: .files, status: 400, message: "Request payload contained invalid input.",
            details: [Detail(message: problem, location: name, locationType: place)])
    }

    static let filesDisabled = PubNubError(
        family: .files, status: 403,
        message: "Use of the files API is not enabled for this subscribe key or channel. "
            + "Enable it in the server's configuration.")

    /// There is none of this id and name in the channel.
    static func noSuchFile(_ family: Family) -> PubNubError {
        PubNubError(
            family: family, status: 404, message: "There is no such file in this channel.")
    }

    static let fileTypeRefused = PubNubError(
        family: .files, status: 415, message: "Files of this type are not taken here.")
}
