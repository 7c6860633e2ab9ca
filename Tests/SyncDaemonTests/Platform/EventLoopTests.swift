// A loop that is told to wait for a moment waits for no longer.

import Basis
import Glibc
import Synchronization
import Testing

@testable import SyncDaemon

@Suite("Event loop")
struct EventLoopTests {
    /// Whether somebody had to wake it: nothing else ever happens on it.
    private final class Rescue: Sendable {
        let isOver = Atomic(false)
        let wasNeeded = Atomic(false)
    }

    @Test(
        "a wait ends by itself, however short it is, and however long the turn before was",
        arguments: [UInt64(0), 1, 5])
    func ends(milliseconds: UInt64) {
        let loop = EventLoop()
        let (rescue, wake) = (Rescue(), loop.wake)
        let thread = OSThread(name: "rescue") {
            // Far longer than all waits together, also on a loaded machine.
            for _ in 0..<3000 where !rescue.isOver.load(ordering: .acquiring) { usleep(10_000) }
            guard !rescue.isOver.load(ordering: .acquiring) else { return }
            rescue.wasNeeded.store(true, ordering: .releasing)
            wake()
        }

        for _ in 0..<10 {
            // The loop's own clock stands still meanwhile.
            usleep(10_000)
            loop.runOnce(waitingAtMost: milliseconds)
        }

        rescue.isOver.store(true, ordering: .releasing)
        thread.join()
        let wasNeeded = rescue.wasNeeded.load(ordering: .acquiring)
        #expect(!wasNeeded)
    }
}
