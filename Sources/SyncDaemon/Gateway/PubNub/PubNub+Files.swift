// Files of an SDK: addresses for who may bring and fetch them, lists, and their end.

import EventModel
import JSON

extension PubNubRouter {
    static func files(
        _ request: PubNubRequest.FileRequest, in context: PubNubContext
    ) -> HTTPResponse? {
        guard let files = context.files, context.settings(of: request.channel).files.isOn else {
            return PubNubError.filesDisabled.response
        }
        guard context.engine.canReadFiles else { return context.refusal(.storeDamaged) }
        switch request {
        case .upload(let channel, let name): return upload(name, to: channel, files, in: context)
        case .list(let channel, let position, let limit):
            return response(
                to: context.ask(.files(after: position, limit: limit), about: channel),
                in: context)
        case .url(let channel, let id, let name):
            guard let id else { return found([], named: name, in: context) }
            return response(to: context.ask(.file(id), about: channel), in: context)
        case .remove(let channel, let id, let name):
            guard let id else { return PubNubError.noSuchFile(.files).response }
            return response(
                to: context.submit(.changeFile(.remove(id, name: name)), in: channel),
                in: context)
        }
    }

    /// Looks for the file that a message tells of; it is published when that is found.
    static func publishFile(
        _ file: PubNubRequest.FileReference, in channel: String, _ context: PubNubContext
    ) -> HTTPResponse? {
        guard context.files != nil, context.settings(of: channel).files.isOn else {
            return PubNubError.filesDisabled.response
        }
        guard context.engine.canReadFiles else { return context.refusal(.storeDamaged) }
        if let refusal = context.refusal(changing: channel) { return context.refusal(refusal) }
        return response(to: context.ask(.file(file.id), about: channel), in: context)
    }

    /// Goes on with what was found of it.
    static func publish(
        _ publication: PubNubRequest.Publication, having entries: [FileEntry],
        in context: PubNubContext
    ) -> HTTPResponse? {
        guard let file = publication.file, let entry = entries.first,
            ExactText(entry.name) == ExactText(file.name)
        else { return PubNubError.noSuchFile(context.family).response }
        return response(to: publish(publication, in: context), in: context)
    }

    /// Where a file can be fetched, if it is one of the channel's by that name.
    ///
    /// PubNub leads to where nothing is, too, and its SDKs expect that.
    static func found(
        _ entries: [FileEntry], named name: String, in context: PubNubContext
    ) -> HTTPResponse {
        var path = "/v1/files/download/\(FileDownload.nothing)/\(percentEncoded(name))"
        if let files = context.files, case .files(let request) = context.request.endpoint,
            let entry = entries.first, let id = FileID(entry.id),
            ExactText(entry.name) == ExactText(name)
        {
            path = files.download(id, entry, in: context.channel(request.channel), for: context)
        }
        return PubNubReplyEncoder.redirect(to: context.address + path)
    }

    private static func upload(
        _ name: String, to channel: String, _ files: FileService, in context: PubNubContext
    ) -> HTTPResponse {
        let settings = context.settings(of: channel).files
        guard settings.takes(name) else { return PubNubError.fileTypeRefused.response }
        if let refusal = context.refusal(changing: channel) { return context.refusal(refusal) }
        var generator = SystemRandomNumberGenerator()
        let ticket = FileTicket(
            purpose: .upload, expires: context.engine.seconds + Int64(Limits.uploadSeconds),
            channel: context.channel(channel), id: .random(using: &generator), name: name,
            userID: context.author.userID, holder: FileHolder(context.credential),
            bytes: settings.bytesMax)
        return PubNubReplyEncoder.uploadGranted(
            ticket,
            url: context.address + "/" + HTTPRequest.streamedPath + files.key.text(of: ticket))
    }
}

extension FileService {
    /// The path of a download.
    fileprivate func download(
        _ id: FileID, _ entry: FileEntry, in channel: Channel, for context: PubNubContext
    ) -> String {
        let ticket = FileTicket(
            purpose: .download, expires: context.engine.seconds + Int64(Limits.downloadSeconds),
            channel: channel, id: id, name: entry.name, userID: context.author.userID,
            holder: FileHolder(context.credential), bytes: entry.size)
        return "/v1/files/download/\(key.text(of: ticket))/\(percentEncoded(entry.name))"
    }
}

extension PubNubReplyEncoder {
    /// - Source: PubNub's SDK for Python, `PNFetchFileUploadS3DataResult`; for JavaScript,
    ///   `generate_upload_url`.
    static func uploadGranted(_ ticket: FileTicket, url: String) -> HTTPResponse {
        json { json in
            json.beginObject()
            json.member("status", 200)
            json.beginObject("data")
            json.member("id", ticket.id.text)
            json.member("name", ticket.name)
            json.endObject()
            json.beginObject("file_upload_request")
            json.member("url", url)
            json.member("method", "POST")
            json.member(
                "expiration_date", Timetoken(rawValue: UInt64(ticket.expires) * 10_000_000).dateText
            )
            json.beginArray("form_fields")
            for (key, value) in [
                ("key", "\(ticket.channel.keyset)/\(ticket.id.text)/\(ticket.name)"),
                ("Content-Type", FileName.mediaType(of: ticket.name)),
            ] {
                json.beginObject()
                json.member("key", key)
                json.member("value", value)
                json.endObject()
            }
            json.endArray()
            json.endObject()
            json.endObject()
        }
    }

    static func files(_ files: [FileEntry], next: Timetoken?) -> HTTPResponse {
        json { json in
            json.beginObject()
            json.member("status", 200)
            json.beginArray("data")
            for file in files {
                json.beginObject()
                json.member("name", file.name)
                json.member("id", file.id)
                json.member("size", file.size)
                json.member("created", file.created.dateText)
                json.endObject()
            }
            json.endArray()
            json.name("next")
            if let next { json.string(next.description) } else { json.null() }
            json.member("count", files.count)
            json.endObject()
        }
    }

    static let fileRemoved = json { json in
        json.beginObject()
        json.member("status", 200)
        json.endObject()
    }

    static func redirect(to address: String) -> HTTPResponse {
        var response = HTTPResponse.pubNub(
            307, [], headers: [HTTPResponse.Header(name: "Location", value: address)])
        response.contentType = "application/json"
        return response
    }

    private static func json(_ body: (inout JSONWriter) -> Void) -> HTTPResponse {
        var response = response(reserving: 1024, body)
        response.contentType = "application/json"
        return response
    }
}
