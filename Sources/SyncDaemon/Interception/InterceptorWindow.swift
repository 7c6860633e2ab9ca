// How many questions an interceptor takes at a time, by how long its answers take.

import EventModel

/// The questions to one interceptor that may be under way: fewer when answers come late.
///
/// One more for each prompt answer, and after it was once too many for each window of them; half as
/// many when an answer is late (AIMD). So what is too much waits in lines of ours, where it is the
/// flood's, and not at the interceptor, where it would be everybody's.
///
/// What is late is told from what always takes long by the quickest answers: late is what takes
/// more than half of the time that these leave.
struct InterceptorWindow {
    private(set) var size = Limits.interceptorRequestsAtFirst
    /// Below this each answer counts.
    private var slowFrom = Limits.interceptorRequestsMax
    /// Prompt answers since it grew.
    private var prompt = 0
    /// What the quickest answer took, in milliseconds, of this period and of the one before.
    private var quickest = Int.max
    private var quickestBefore = Int.max
    /// When the next period begins, in milliseconds: an interceptor may be another one since.
    private var period: UInt64 = 0
    /// Of the interceptor late answers speak only to what was asked from here on, in milliseconds:
    /// when what was asked later is answered promptly, it is that one question that hangs.
    private var settled: UInt64 = 0

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - asked: When that was asked, in milliseconds, and `now`.
    ///   - timeout: Milliseconds that it might take.
    ///   - isFull: Whether more would have been asked, if that might be.
    mutating func answered(_ asked: UInt64, at now: UInt64, within timeout: Int, isFull: Bool) {
        let took = Int(max(now, asked) - asked)
        if now >= period {
            period = now + UInt64(Limits.interceptorQuickestMilliseconds)
            (quickestBefore, quickest) = (quickest, took)
        }
        quickest = min(quickest, took)
        let quick = min(quickest, quickestBefore)
        let spare = max(0, timeout - quick)
        if took <= quick + spare / 4 {
            settled = max(settled, asked + 1)
            if isFull { grow() }
        } else if took > quick + spare / 2 {
            missed(asked, at: now)
        }
    }

    /// Hears that there was no answer, or a late one.
    mutating func missed(_ asked: UInt64, at now: UInt64) {
        guard asked >= settled else { return }
        size = max(Limits.interceptorRequestsMin, size / 2)
        (slowFrom, prompt, settled) = (size, 0, now + 1)
    }

    private mutating func grow() {
        prompt += 1
        guard size < slowFrom || prompt >= size else { return }
        (size, prompt) = (min(size + 1, Limits.interceptorRequestsMax), 0)
    }
}
