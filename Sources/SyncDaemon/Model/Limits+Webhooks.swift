// The bounds of webhooks: what waits for a receiver, what one request holds, how long it is tried.

import EventModel

extension Limits {
    /// Webhooks of the whole daemon; over it: the daemon does not start.
    static let webhooksMax = 64
    /// Patterns of channels of one webhook; over it: likewise.
    static let webhookPatternsMax = 256
    /// Requests to one receiver at a time; a channel stays in its lane.
    ///
    /// Rows in the store name their lane, so it can only grow, and then events of a channel that
    /// wait may be overtaken once.
    static let webhookLanes = 4
    /// Bytes of a webhook's address, what a line of the file has room for; over it: the daemon does
    /// not start.
    static let webhookAddressBytesMax = 191
    /// Characters of a secret that signs requests; under or over it: likewise.
    static let webhookSecretBytesMin = 32
    static let webhookSecretBytesMax = 256
    /// Events of one request, at most, whatever is configured; over it: a further request.
    static let webhookEventsMax = 1000
    /// Bytes of the events of one request, unless it is a single one; over it: a further request.
    static let webhookBatchBytesMax = 256 * 1024
    /// Milliseconds that events wait for others while more than a request's worth waits anyway.
    static let webhookBacklogMilliseconds = 5000
    /// Users and authors for whom reactions are being collected; over it: the collections that are
    /// open are closed, and the next reaction begins another.
    static let webhookCollectionsMax = 100_000
    /// Messages that these collections speak of, each once per collection; over it: likewise, where
    /// those whose time is over are fewer than half.
    static let webhookMessagesCollectedMax = 200_000
    /// Collections that one clearing or deletion takes something back of; over it: the others tell
    /// what was there when it was added.
    static let webhookCollectionsTakenBackMax = 1000
    /// Users that one line of collected reactions names; the others are only counted.
    static let webhookUsersNamedMax = 10
    /// Events that wait for one receiver; over it: the oldest request becomes dead letters.
    static let webhookRowsMax = 1_000_000
    /// Bytes of these events; likewise.
    static let webhookBytesMax = 1024 * 1024 * 1024
    /// Dead letters of one webhook; over it: the oldest are forgotten.
    static let deadLettersMax = 100_000
    /// Bytes of these; likewise.
    static let deadLetterBytesMax = 256 * 1024 * 1024
    /// Requests that were given up which one list names.
    static let deadRequestsListedMax = 100
    /// Requests whose dead letters are put back in one commit; the rest in the next ones.
    static let revivedPerCommitMax = 20
    /// Seconds after which a request that still fails becomes dead letters: a day.
    static let webhookSecondsMax = 86_400
    /// Attempts that a receiver has failed in a row before that.
    static let webhookAttemptsMin = 5
    /// Milliseconds of the first pause after a failure, at most; each further one is twice as long.
    static let webhookPauseMilliseconds = 1000
    /// Milliseconds of the longest pause, 10 minutes, unless the receiver asks for more.
    static let webhookPauseMillisecondsMax = 600_000
    /// Seconds for which writes are refused that meet damage where events wait for webhooks; after
    /// that webhooks are left alone, and tried again each second.
    static let webhookDamageSeconds = 10
    /// Seconds without such damage after which the next counts as the first.
    static let webhookDamageForgottenSeconds = 60
    /// Seconds of failures after which `/readyz` says so.
    static let webhookTroubleSeconds = 300
    /// Bytes of an answer's headers, and of a body that nobody needs; over it: the connection is
    /// closed, and the headers count as no answer.
    static let webhookAnswerBytesMax = 64 * 1024
    /// Full requests of a lane that are known to be full before it is their turn; over it: they
    /// wait for their time.
    static let webhookFullKnownMax = 256
    /// Idle connections to receivers that are kept for the next request.
    static let webhookConnectionsKept = 256
}
