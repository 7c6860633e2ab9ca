// Lines of an export, written.

import EventModel
import JSON

extension JSONWriter {
    /// Writes the first line, without its end.
    mutating func line(_ head: ExportHead) {
        beginObject()
        member("export", "syncdaemon")
        member("format", ExportHead.format)
        member("release", head.release)
        member("schema", head.schema)
        member("epoch", head.epoch)
        member("last", quoted: head.last.rawValue)
        member("keyset", head.selection.keyset)
        if !head.selection.channels.isEmpty { member("channels", head.selection.channels) }
        member("tombstones", head.includesRemoved)
        member("secret", head.secret?.text)
        endObject()
    }

    /// Writes a line, without its end.
    mutating func line(_ record: TransferRecord) {
        beginObject()
        switch record {
        case .channel(let head):
            member("channel", head.channel.name)
            member("keyset", head.channel.keyset)
            member("key", head.key.text)
        case .message(let record): write(record)
        case .action(let record): write(record)
        case .mark(let record):
            member("read", quoted: record.through.rawValue)
            member("user", record.userID)
        case .deletion(let record):
            member("deleted", quoted: record.timetoken.rawValue)
            member("after", quoted: record.range.after.rawValue)
            member("through", quoted: record.range.through.rawValue)
        case .clearing(let record):
            member("cleared", quoted: record.timetoken.rawValue)
            member("on", quoted: record.clearing.messageTimetoken?.rawValue)
            member("type", record.clearing.type)
            member("value", record.clearing.value)
            member("user", record.clearing.userID)
        case .endOfChannel(let end):
            beginObject("endOfChannel")
            write(end.counts)
            endObject()
            member("count", end.digest.count)
            member("digest", end.digest.text)
            member("sum", quoted: end.sum)
        case .grouping(let group, let channel):
            member("group", group.name)
            member("keyset", group.keyset)
            member("channel", channel)
        case .revoked(let record):
            member("revoked", record.token.id.text)
            member("keyset", record.token.keyset.string)
            member("expiry", record.token.expiry)
            member("forgettable", quoted: record.forgettable.rawValue)
        case .grant(let record): write(record)
        case .device(let device, let channel, let user):
            member("device", device.token)
            member("keyset", device.keyset)
            member("gateway", device.gateway.rawValue)
            if device.gateway == .apns2 {
                member("environment", device.environment)
                member("topic", device.topic)
            }
            member("channel", channel)
            if !user.isEmpty { member("user", user) }
        case .file(let record): write(record)
        case .end(let counts):
            beginObject("endOfExport")
            member("channels", counts.channels)
            write(counts)
            member("devices", counts.devices)
            member("files", counts.files)
            endObject()
        }
        endObject()
    }

    private mutating func write(_ record: KeptMessage) {
        member("message", quoted: record.timetoken.rawValue)
        member("user", record.uuid)
        write(record.message.payload, as: "payload", or: "payloadText")
        if let meta = record.message.meta { write(meta, as: "meta", or: "metaText") }
        member("type", record.message.type)
        member("parent", quoted: record.message.parent?.rawValue)
        member("expires", quoted: record.expires?.rawValue)
    }

    private mutating func write(_ record: KeptAction) {
        member("action", quoted: record.action.actionTimetoken.rawValue)
        member("on", quoted: record.action.key.messageTimetoken.rawValue)
        member("type", record.action.key.type)
        member("value", record.action.key.value)
        member("user", record.action.key.uuid)
        if record.action.score != 1 { member("score", record.action.score) }
        member("removed", quoted: record.removed?.rawValue)
    }

    private mutating func write(_ record: KeptGrant) {
        let subject = record.grant.subject
        member("grant", subject.level.rawValue)
        member("keyset", subject.keyset.string)
        member("name", subject.name.string)
        member("authKey", subject.authKey?.string)
        member("bits", record.grant.bits)
        member("expiry", record.grant.expiry)
        member("forgettable", quoted: record.forgettable.rawValue)
    }

    private mutating func write(_ record: KeptFile) {
        let file = record.file
        member("file", file.id.text)
        member("keyset", file.channel.keyset)
        member("channel", file.channel.name)
        member("name", file.name)
        member("size", file.size)
        member("user", file.userID)
        member("created", quoted: file.created.rawValue)
        member("sum", quoted: record.sum)
    }

    private mutating func write(_ counts: TransferCounts) {
        member("messages", counts.messages)
        member("actions", counts.actions)
        member("removed", counts.removed)
        member("marks", counts.marks)
        member("deletions", counts.deletions)
        member("clearings", counts.clearings)
        member("others", counts.others)
    }

    /// Writes a text as the JSON that it is; one that would not come back to the byte, as a string.
    private mutating func write(
        _ text: String, as name: StaticString, or textName: StaticString
    ) {
        let isCompact =
            (try? JSONValue(parsing: text, depthMax: Limits.jsonDepthMax))?.compactText == text
        if isCompact { member(name, raw: text) } else { member(textName, text) }
    }
}
