// How fast files have to move.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("The pace of a file")
struct BodyPaceTests {
    private let idle = UInt64(Limits.fileIdleSeconds) * 1000
    private let window = UInt64(Limits.filePaceSeconds) * 1000
    private let least = Limits.filePaceSeconds * Limits.slowestBytesPerSecond

    /// When it ends that moves so many bytes every so many milliseconds; `nil`: not within an hour.
    private func end(_ bytes: Int, every step: UInt64) -> UInt64? {
        let pace = BodyPace(at: 0)
        var due = pace.step(at: 0)
        for now in stride(from: step, through: 3_600_000, by: UInt64.Stride(step)) {
            while let at = due, at <= now {
                due = pace.step(at: at)
                if due == nil { return at }
            }
            pace.moved(bytes, at: now)
        }
        return nil
    }

    @Test("who rests is given up after a while, though much came before")
    func rests() {
        let pace = BodyPace(at: 1000)
        pace.moved(1 << 30, at: 2000)
        #expect(pace.step(at: 2000) == 2000 + idle)
        #expect(pace.step(at: 2000 + idle) == nil)
    }

    @Test("a byte now and then is not enough, and neither is a little less than enough")
    func trickles() {
        #expect(end(1, every: 1000) == window)
        #expect(end(least / 31, every: 1000) == window)
        #expect(end(0, every: 1000) == idle)
    }

    @Test("who is just fast enough goes on for as long as it takes")
    func goesOn() {
        #expect(end(least / 28, every: 1000) == nil)
        #expect(end(least / 2, every: 10_000) == nil)
    }

    @Test("what came fast at first does not count for later")
    func windows() {
        let pace = BodyPace(at: 0)
        pace.moved(1 << 30, at: 1)
        for now in stride(from: 0, to: window, by: 1000) { pace.moved(1, at: now) }
        #expect(pace.step(at: window) != nil)
        for now in stride(from: window, to: 2 * window, by: 1000) { pace.moved(1, at: now) }
        #expect(pace.step(at: 2 * window) == nil)
    }

    @Test("the time in which the peer has nothing to do does not count")
    func pauses() {
        let pace = BodyPace(at: 0)
        pace.moved(least, at: 0)
        pace.pause(at: 1000)
        pace.pause(at: 2000)
        #expect(pace.step(at: 10 * window) != nil)
        pace.goOn(at: 10 * window)
        pace.goOn(at: 11 * window)
        #expect(pace.step(at: 10 * window) == 10 * window + idle - 1000)
        #expect(pace.step(at: 10 * window + idle) == nil)
    }
}
