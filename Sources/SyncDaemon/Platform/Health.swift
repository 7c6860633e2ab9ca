// What keeps the daemon from its whole service, each with its cause and its cure: `/readyz` shows
// it.

import Basis
import Synchronization

/// The troubles that the daemon has now, each by a stable name.
///
/// Whoever finds one reports it, and clears it when it is over; any thread may call.
final class Health: Sendable {
    /// The raw values are shown to operators, whose alerts name them: append, never rename.
    enum Cause: String, Sendable, CaseIterable {
        /// There is no room for writes.
        case diskFull = "disk_full"
        /// Something in the file cannot be read, or is not what was written.
        case storeDamaged = "store_damaged"
        /// The files at the data's path are no longer those that the daemon opened.
        case directoryLost = "directory_lost"
        /// Writes wait, and the ledger does not come round.
        case ledgerStalled = "ledger_stalled"
        /// The last question to the store could not be answered.
        case readsFailing = "reads_failing"
        /// Questions wait, and no reader answers any.
        case readersStalled = "readers_stalled"
        /// The memory that the process may have is nearly used up.
        case memory = "memory_short"
        /// Who comes over TLS is shown a certificate whose time is over.
        case certificateExpired = "certificate_expired"
        /// A webhook's receiver has not taken anything for long.
        case webhooksFailing = "webhooks_failing"
        /// An interceptor has not answered for a while.
        case interceptorsFailing = "interceptors_failing"
        /// Files of channels cannot be written or read.
        case filesFailing = "files_failing"
        /// What is committed does not come to the archive.
        case archiveFailing = "archive_failing"
        case archiveCommandFailing = "archive_command_failing"

        /// Whether clients lack something: no balancer should turn away from a daemon whose
        /// trouble is somebody else's.
        var concernsClients: Bool {
            switch self {
            case .webhooksFailing, .interceptorsFailing, .filesFailing, .archiveFailing,
                .archiveCommandFailing:
                false
            default: true
            }
        }
    }

    struct Trouble: Sendable, Hashable {
        let cause: Cause
        /// A sentence on what is wrong and one on what to do.
        let text: String
    }

    /// Whether clients are served: neither starting nor stopping.
    let isServing = Atomic(false)
    private let texts = Locked<[Cause: String]>([:])

    /// Whether clients are served, without any trouble of theirs.
    var isReady: Bool {
        isServing.load(ordering: .relaxed) && !troubles.contains { $0.cause.concernsClients }
    }

    /// Says that there is this trouble; the text replaces that of an earlier report.
    ///
    /// - Returns: Whether it was not there before.
    @discardableResult
    func report(_ cause: Cause, _ text: String) -> Bool {
        texts.withLock { $0.updateValue(text, forKey: cause) } == nil
    }

    /// Says that this trouble is over.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    func clear(_ cause: Cause) -> Bool {
        texts.withLock { $0.removeValue(forKey: cause) } != nil
    }

    /// What there is now, in the order of ``Cause``.
    var troubles: [Trouble] {
        texts.withLock { texts in
            Cause.allCases.compactMap { cause in
                texts[cause].map { Trouble(cause: cause, text: $0) }
            }
        }
    }
}

extension Health {
    /// Reports or clears.
    ///
    /// - Returns: Whether that is news.
    @discardableResult
    func set(_ cause: Cause, _ isThere: Bool, _ text: @autoclosure () -> String) -> Bool {
        isThere ? report(cause, text()) : clear(cause)
    }

    func has(_ cause: Cause) -> Bool { texts.withLock { $0[cause] != nil } }
}
