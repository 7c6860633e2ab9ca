// What happened, for people who replay a seed.

import EventModel

/// Short texts of what goes over the wire.
enum Trace {
    static func text(_ batch: Batch) -> String {
        let events = batch.envelopes.map(text).joined(separator: " ")
        let state = batch.state.map { " = \($0.count) \($0.text.prefix(6))" } ?? ""
        return "\(batch.channel.name) [\(events)] through \(tail(batch.cursor))\(state)"
    }

    static func text(_ envelope: Envelope) -> String {
        let at = tail(envelope.timetoken)
        switch envelope.event {
        case .message(let message): return "\(at):\(message.payload.prefix(20))"
        case .signal: return "\(at):signal"
        case .presence: return "\(at):presence"
        case .directory(let notice): return "\(at):directory \(notice.id)"
        case .actionAdded(let action): return "\(at):+\(text(action.key))"
        case .actionRemoved(let action): return "\(at):-\(text(action.key))"
        case .messagesDeleted(let start, let end):
            return "\(at):deleted(\(tail(start)),\(tail(end))]"
        case .actionsCleared(let clearing):
            let message = clearing.messageTimetoken.map(tail) ?? "any"
            return "\(at):cleared \(clearing.value ?? "*")\(clearing.userID ?? "*")@\(message)"
        }
    }

    static func text(_ key: MessageAction.Key) -> String {
        "\(key.value)\(key.uuid)@\(tail(key.messageTimetoken))"
    }

    static func text(_ command: Command) -> String {
        switch command {
        case .subscribe(let requests):
            return "subscribe "
                + requests.map { request in
                    let base = request.base.map { "= \($0.count) \($0.text.prefix(6))" } ?? ""
                    return "\(request.channel) from \(request.cursor.map(tail) ?? "now") of "
                        + "\(request.epoch ?? "?")\(base)\(request.asksForRepair ? " repair" : "")"
                }.joined(separator: ", ")
        case .repair(let request):
            return "repair \(request.channel) \(request.level) \(request.run.first)"
                + "+\(request.run.symbols.count) of \(request.run.itemCount)"
        case .addAction(let request):
            return
                "add \(request.value)@\(tail(request.messageTimetoken)) in \(request.channel) as "
                + "\(request.mutation ?? "?")"
        case .removeAction(let request):
            return "remove \(request.action.value)@\(tail(request.action.messageTimetoken)) in "
                + "\(request.action.channel) seen "
                + "\(request.actionTimetoken.map(tail) ?? "any") as "
                + "\(request.action.mutation ?? "?")"
        case .publish(let request):
            return "publish \(request.message.payload.prefix(20)) in \(request.channel)"
        default:
            return "\(command)"
        }
    }

    static func text(_ result: Result<Reply, ProtocolError>) -> String {
        switch result {
        case .success(.subscribed(let channels)):
            return channels.map { channel in
                let state = channel.state.map { " = \($0.count) \($0.text.prefix(6))" } ?? ""
                return "\(channel.channel) \(channel.mode) from \(tail(channel.cursor))\(state)"
            }.joined(separator: ", ")
        case .success(.repair(.difference(let difference))):
            return "difference through \(tail(difference.cursor)), rows "
                + difference.rows.map { "\(tail($0.actionTimetoken)):\(text($0.key))" }.joined(
                    separator: " ")
                + ", drop \(difference.dropped.map(tail))"
                + (difference.state.map { " = \($0.count) \($0.text.prefix(6))" } ?? "")
        case .success(.published(let timetoken)): return "published \(tail(timetoken))"
        case .success(.actionAdded(let action, let how)):
            return "\(how) \(tail(action.actionTimetoken))"
        case .success(let reply): return "\(reply)"
        case .failure(let error): return "refused: \(error.code)"
        }
    }

    /// The digits that differ within one world.
    static func tail(_ timetoken: Timetoken) -> String {
        timetoken == .zero ? "0" : String(timetoken.description.suffix(11))
    }
}
