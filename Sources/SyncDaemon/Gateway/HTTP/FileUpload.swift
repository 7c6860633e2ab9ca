// A file on its way in: a form whose bytes go to a thread of files, and then a row.

import EventModel

/// One upload.
final class FileUpload: HTTPBodyCall {
    let caller: FileCaller
    private let length: Int
    private var form: FormReader?
    private var hasPlace = false
    /// Bytes of the tenant's quota that are kept for it.
    private var reserved = 0
    /// Whether the contents are whole, and on the disk.
    private var isStored = false
    /// What waits while the thread writes what came before.
    private var buffer: [UInt8] = []
    private var isWriting = false
    private var hasAll = false

    static func answer(_ asking: HTTPAsking, _ files: FileService) -> HTTPAnswer {
        let text = asking.request.path.split(separator: "/").last ?? ""
        guard let caller = FileCaller(text, for: .upload, files, asking) else {
            return .now(.badTicket)
        }
        guard caller.mayStillBring else { return .now(.noLonger) }
        guard !files.isUsed(caller.ticket) else { return .now(.exists) }
        guard let length = asking.request.bodyLength else {
            return .now(.storage(411, "MissingContentLength", "Send a form."))
        }
        guard length <= caller.ticket.bytes + Limits.formBytesMax else {
            files.figures.met(.size)
            return .now(.tooLarge)
        }
        guard
            let form = asking.request.fields.contentType.flatMap(FormReader.init(contentType:))
        else { return .now(.badForm) }
        return .call(FileUpload(caller, form, length))
    }

    private init(_ caller: FileCaller, _ form: FormReader, _ length: Int) {
        (self.caller, self.form, self.length) = (caller, form, length)
    }

    func start() -> HTTPResponse? {
        guard let form else { preconditionFailure("An upload starts once.") }
        if let refusal = HTTPResponse(files.beginUpload(of: caller.peer)) { return refusal }
        hasPlace = true
        self.form = nil
        // Of the form at least what surrounds the file: one that just fits is not refused.
        let bytes = max(0, length - Limits.formBytesMax)
        do throws(QuotaRefusal) {
            try account.reserve(storedBytes: bytes)
            reserved = bytes
        } catch {
            return fail(refusal(ProtocolError(error)), at: .quota)
        }
        buffer.reserveCapacity(min(length, Limits.fileChunkBytes))
        guard files.put(.begin(ticket.id, form, length: length), for: origin) else {
            return fail(.filesBusy)
        }
        return nil
    }

    private var account: Account { accounts.account(of: keyset) }

    var isFull: Bool { isWriting && buffer.count >= Limits.fileChunkBytes }

    func take(_ part: [UInt8], isLast: Bool) -> HTTPResponse? {
        buffer += part
        hasAll = hasAll || isLast
        return write()
    }

    /// Has written what there is, when there is enough and the thread has what came before.
    private func write() -> HTTPResponse? {
        guard !isWriting, hasAll || buffer.count >= Limits.fileChunkBytes else { return nil }
        isWriting = true
        let part = buffer
        buffer = []
        return files.put(.take(part, isLast: hasAll), for: origin) ? nil : fail(.filesBusy)
    }

    func hear(_ result: FileAnswer.Result) -> HTTPResponse? {
        isWriting = false
        switch result {
        case .taken: return write()
        case .stored(let size):
            isStored = true
            guard size <= ticket.bytes else { return fail(.tooLarge, at: .size) }
            guard caller.mayStillBring else { return fail(.noLonger) }
            guard files.use(ticket, at: engine.seconds) else { return fail(.exists) }
            let file = StoredFile(
                channel: ticket.channel, id: ticket.id, name: ticket.name, size: size,
                userID: ticket.userID)
            let write = Write(
                origin: origin, author: author, channel: ticket.channel,
                operation: .changeFile(.add(file)), mutation: nil)
            return engine.submit(write) ? nil : fail(.filesBusy)
        case .badForm(.tooLong): return fail(.tooLarge, at: .size)
        case .badForm(.notOneFile): return fail(.notOneFile)
        case .badForm(.malformed): return fail(.badForm)
        case .failed(.exists): return fail(.exists)
        case .failed(.full): return fail(.diskFull, at: .disk)
        case .failed: return fail(.diskFails)
        case .part, .measured, .outside: preconditionFailure("An upload reads no file.")
        }
    }

    func response(to found: HTTPFound, of command: CommandID) -> HTTPResponse? {
        if case .reply(.fileAdded) = found {
            leave(failed: false)
            return .uploaded
        }
        // Without an error there is a row of its id, though nothing was on the disk.
        guard case .refused(let error) = found else { return fail(.exists) }
        return fail(refusal(error), at: error.code == "quota_exceeded" ? .quota : nil)
    }

    func refusal(_ error: ProtocolError) -> HTTPResponse {
        // As PubNub's endpoints of files say it.
        error == .storeDamaged
            ? .storage(500, "InternalError", error.message)
            : .storage(error.status, "AccessDenied", error.message)
    }

    /// Leaves nothing behind, and says why.
    private func fail(_ response: HTTPResponse, at limit: FileLimit? = nil) -> HTTPResponse {
        if let limit { files.figures.met(limit) }
        if isStored { files.remove(ticket.id, for: origin) }
        leave(failed: true)
        return response
    }

    private func leave(failed: Bool) {
        guard hasPlace else { return }
        hasPlace = false
        files.put(.end, for: origin)
        files.endUpload(of: caller.peer, failed: failed)
        account.release(reserved: reserved)
        reserved = 0
    }

    /// A row that is on its way comes all the same, and its file stays.
    func abandon() { leave(failed: true) }
}

extension HTTPResponse {
    fileprivate static let tooLarge = storage(
        400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
    fileprivate static let badForm = storage(
        400, "MalformedPOSTRequest", "The body is not a well-formed multipart/form-data.")
    fileprivate static let notOneFile = storage(
        400, "IncorrectNumberOfFilesInPostRequest", "Send one field named file.")
    fileprivate static let exists = storage(
        409, "OperationAborted", "The address was used already.")
    fileprivate static let noLonger = storage(
        403, "AccessDenied", "Who was given the address may bring no file any more.")
    fileprivate static let diskFull = storage(
        507, "InsufficientStorage", "There is no room for the file.")
    fileprivate static let diskFails = storage(
        500, "InternalError", "The file could not be written.")

    fileprivate static let uploaded: HTTPResponse = {
        var response = HTTPResponse(status: 204, contentType: "application/xml", body: [])
        response.isForPages = true
        return response
    }()
}
