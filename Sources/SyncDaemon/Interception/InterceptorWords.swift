// What an interceptor is asked, and how its answer is read.

import EventModel
import JSON

/// A question as JSON.
enum InterceptorWords {
    /// - Parameter id: As in the header that is signed.
    static func body(of question: InterceptorQuestion, id: String) -> [UInt8] {
        var json = JSONWriter(reserving: 256 + question.item.size)
        json.beginObject()
        json.member("interceptor", question.interceptor.name)
        json.member("id", id)
        json.member("before", question.item.kind?.rawValue)
        json.member("keyset", question.item.channel.keyset)
        json.member("channel", question.item.channel.name)
        if question.item.isOfServer { json.member("server", true) }
        switch question.item {
        case .write(let write):
            json.member("user", write.author.userID)
            // SDKs have no device.
            json.member("device", write.author.deviceID.isEmpty ? nil : write.author.deviceID)
            json.member("mutation", write.mutation)
            json.write(write.operation)
            json.member("ttl", write.hoursAsked)
        case .announcement(let announcement, _):
            json.member("user", announcement.uuid)
            if case .message(let message) = announcement.event {
                json.write(message)
                json.member("store", false)
            }
            if case .signal(let message) = announcement.event { json.write(message) }
        }
        json.endObject()
        return json.bytes
    }

    /// - Parameter outcome: Of the question's request.
    static func verdict(
        on question: InterceptorQuestion, _ outcome: DeliveryOutcome
    ) -> InterceptorVerdict {
        switch outcome {
        case .failed(let reason): .failed(reason: reason)
        case .answered(200..<300, _, let body): verdict(on: question, body)
        case .answered(let status, _, _): .unclear(reason: "status \(status)")
        }
    }

    private static func verdict(
        on question: InterceptorQuestion, _ body: [UInt8]
    ) -> InterceptorVerdict {
        guard let text = String(validating: body, as: UTF8.self),
            let answer = try? JSONValue(parsing: text, depthMax: Limits.jsonDepthMax),
            answer.isObject, let allow = answer.member("allow")?.bool
        else { return .unclear(reason: #"its answer has no "allow" that is true or false"#) }
        guard allow else {
            return .refused(reason: sentence(answer.member("reason")?.string ?? ""))
        }
        if let name = changedMember(of: question, in: answer) {
            return .unusable(reason: #"it changes "\#(name)", which stays as it is"#)
        }
        func change(_ name: String) -> String? {
            answer.has(name) ? answer.member(name)?.compactText ?? "null" : nil
        }
        let (payload, meta) = (change("payload"), change("meta"))
        if payload == nil, meta == nil { return .allowed() }
        guard let kind = question.item.kind, kind != .addAction else {
            return .unusable(reason: "it changes an action, which can only be allowed or refused")
        }
        let bytesMax = kind == .signal ? Limits.signalBytesMax : Limits.requestBodyBytesMax
        guard (payload?.utf8.count ?? 0) + (meta?.utf8.count ?? 0) <= bytesMax,
            meta == nil || kind == .publish
        else { return .unusable(reason: "what it makes of a \(kind.rawValue) is none") }
        guard payload == nil || keepsFile(of: question, in: answer) else {
            return .unusable(reason: #"it changes "file" in the payload, which stays as it is"#)
        }
        return .allowed(payload: payload, meta: meta)
    }

    /// Members of questions that say what is written, where and by whom, and that stay.
    ///
    /// An answer may change the others, or they are the question's own. `messageType` is what
    /// clients call `type`.
    private static let fixedMembers = [
        "keyset", "channel", "server", "user", "device", "mutation", "messageTimetoken", "type",
        "messageType", "value", "score", "parent", "ttl", "store",
    ]

    /// What an answer would have otherwise than the question; to repeat it is no change.
    private static func changedMember(
        of question: InterceptorQuestion, in answer: JSONValue
    ) -> String? {
        let named = fixedMembers.filter { answer.has($0) }
        guard !named.isEmpty,
            let asked = try? JSONValue(
                parsing: body(of: question, id: ""), depthMax: Limits.jsonDepthMax)
        else { return nil }
        // A question has it by one name alone.
        return named.first {
            !isSame(asked.member($0 == "messageType" ? "type" : $0), answer.member($0))
        }
    }

    /// Whether a changed payload tells of the same file: without it nobody would find that.
    private static func keepsFile(
        of question: InterceptorQuestion, in answer: JSONValue
    ) -> Bool {
        let message: Message
        switch question.item {
        case .write(let write):
            guard case .publish(let written, _) = write.operation else { return true }
            message = written
        case .announcement(let announcement, _):
            guard case .message(let told) = announcement.event else { return true }
            message = told
        }
        guard FileMessage.isType(message.type),
            let asked = try? JSONValue(parsing: message.payload, depthMax: Limits.jsonDepthMax)
        else { return true }
        let (file, found) = (asked.member("file"), answer.member("payload")?.member("file"))
        return ["id", "name"].allSatisfy { isSame(file?.member($0), found?.member($0)) }
    }

    /// Whether two texts, numbers or truths are the same, however they are written.
    private static func isSame(_ one: JSONValue?, _ other: JSONValue?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        if let text = one.string, let found = other.string {
            return ExactText(text) == ExactText(found)
        }
        return one.compactText == other.compactText
    }

    /// What a client is shown: without what has no glyph, and not long.
    private static func sentence(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: continue
            default: bytes += UTF8.width(scalar)
            }
            guard bytes <= Limits.interceptorReasonBytesMax else { break }
            shown.append(scalar)
        }
        return String(shown)
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ operation: Write.Operation) {
        switch operation {
        case .publish(let message, _): write(message)
        case .edit(let key, _):
            member("messageTimetoken", quoted: key.messageTimetoken.rawValue)
            member("payload", raw: key.value)
        case .add(let key, _, _) where key.isVersion:
            member("messageTimetoken", quoted: key.messageTimetoken.rawValue)
            member("payload", raw: JSONValue.payload(saying: key.value))
        case .add(let key, let score, _):
            member("messageTimetoken", quoted: key.messageTimetoken.rawValue)
            member("type", key.type)
            member("value", key.value)
            member("score", score)
        default: preconditionFailure("Nobody is asked about this.")
        }
    }

    fileprivate mutating func write(_ message: Message) {
        member("payload", raw: message.payload)
        member("meta", raw: message.meta)
        member("type", message.type)
        member("parent", quoted: message.parent?.rawValue)
    }
}
