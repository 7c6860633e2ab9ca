// Giving an object to another thread, once.

import Basis
import Testing

@testable import SyncDaemon

private final class Confined {
    var value = 1
}

@Suite("Handover")
struct HandoverTests {
    @Test("the other thread gets the very object, and owns it")
    func once() {
        let object = Confined()
        let identity = ObjectIdentifier(object)
        let handover = Handover(object)
        let seen = Locked<ObjectIdentifier?>(nil)

        TestThread("receiver") {
            let object = handover.take()
            object.value += 1
            seen.withLock { $0 = ObjectIdentifier(object) }
        }.join()

        #expect(seen.withLock { $0 } == identity)
    }

    @Test("the object goes away with the one who took it")
    func released() {
        weak var object: Confined?
        do {
            let handover = Handover(Confined())
            let taken = handover.take()
            object = taken
            #expect(object != nil)
            _ = taken.value
        }
        #expect(object == nil)
    }

    @Test("a second taker is a mistake that stops the program")
    func twice() async {
        await #expect(processExitsWith: .failure) {
            let handover = Handover(1)
            _ = handover.take()
            _ = handover.take()
        }
    }
}
