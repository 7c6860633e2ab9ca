// What goes over the link between daemons, though there is one here: what comes out has to be what
// went in, for whatever a world thinks of.

@testable import SyncDaemon

enum Relay {
    /// A step as every other daemon would get it, and each answer as one of them.
    static func carry(_ step: Commit) -> Commit {
        var copy = carry(value: step)
        copy.answers = step.answers.map { carry(value: $0) }
        (copy.cleared, copy.deleted, copy.outbox) = (step.cleared, step.deleted, step.outbox)
        return copy
    }

    /// A value as the other side reads it.
    static func carry<Value: LinkCodable>(value: Value) -> Value {
        var writer = LinkWriter()
        writer.put(value)
        var reader = LinkReader(writer.bytes[...])
        do throws(LinkError) {
            let copy = try reader.value(Value.self)
            precondition(reader.isAtEnd, "All that the link carries is read.")
            return copy
        } catch {
            preconditionFailure("The link does not read what it wrote: \(value)")
        }
    }
}
