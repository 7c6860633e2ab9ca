// A server of the owner's that is asked before something is written.

import EventModel

/// Who decides whether something becomes an event, and before what.
struct Interceptor: Hashable, Sendable {
    /// What is asked about; the raw values stand in configurations and in questions.
    enum Kind: String, Sendable, CaseIterable {
        case publish
        case edit
        case addAction = "add_action"
        case signal

        /// Without a word: what is there to stay.
        static let standard: [Kind] = [.publish, .edit, .addAction]
    }

    /// What becomes of a write when there is no answer that can be understood.
    enum Failing: String, Sendable, CaseIterable {
        case refuse
        case allow
    }

    let name: String
    var url = ""
    /// Whose channels they are, by subscribe key; `nil`: those of all tenants.
    var keyset: String?
    /// Of these channels; empty: of all.
    var patterns: [ChannelPattern] = []
    var kinds: [Kind] = Kind.standard
    /// What signs questions: the present secret, and the one before.
    var secrets: [String] = []
    /// Milliseconds from a write's coming to its answer.
    var timeoutMilliseconds = 1000
    var failing = Failing.refuse

    init(name: String) { self.name = name }

    func isAsked(before kind: Kind, in channel: Channel) -> Bool {
        guard kinds.contains(kind) else { return false }
        if let keyset, ExactText(keyset) != ExactText(channel.keyset) { return false }
        return patterns.isEmpty || patterns.contains { $0.fits(channel) }
    }
}
