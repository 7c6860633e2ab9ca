// The thread of webhooks, and what wakes it, with a store that cannot be read for a while.

import Basis
import EventModel
import Glibc
import Testing

@testable import SyncDaemon

@Suite("Webhooks: their thread")
struct WebhookThreadTests {
    private let store = MemoryStore()
    private let door: LedgerDoor
    private let health = Health()
    private let lines = LogLines()
    private let place = OutboxPlace.of("a", 10)
    private let webhook: Webhook

    init() throws {
        var webhook = Webhook(name: "a")
        // Nobody listens there.
        webhook.url = "http://127.0.0.1:1/"
        webhook.secrets = [String(repeating: "s", count: 32)]
        self.webhook = webhook
        let place = place
        try store.commit(through: 10) { try $0.put(.numbered(10, in: place)) }
        door = LedgerDoor(
            try StoreStart(of: store), clock: DaemonClock(resuming: nil), receiver: Steps())
    }

    /// A thread whose first attempts to open the store fail.
    private func thread(failing attempts: Int) -> WebhookThread {
        let made = Locked(0)
        let makeReader = store.makeReader
        return WebhookThread(
            [webhook], ledger: door,
            makeReader: { () throws(StoreError) -> any StoreReader in
                let count = made.withLock { count -> Int in
                    count += 1
                    return count
                }
                guard count > attempts else {
                    throw .broken(code: 10, reason: "disk I/O error")
                }
                return try makeReader()
            }, health: health, log: lines.log)
    }

    /// Waits until something is true, for half a minute.
    private func eventually(_ isTrue: () -> Bool) -> Bool {
        for _ in 0..<3000 {
            if isTrue() { return true }
            usleep(10_000)
        }
        return false
    }

    private func count(of text: String) -> Int {
        lines.messages.filter { $0.contains(text) }.count
    }

    @Test("it goes on when the store can be read again, and says each once")
    func goesOn() {
        let thread = thread(failing: 2)
        #expect(eventually { health.has(.webhooksFailing) })
        // Heard while there is no reader: what is closed is sent whatever the time.
        door.outbox.tell(OutboxNews(sealed: [place]))
        #expect(eventually { count(of: "Webhooks go on.") == 1 })
        #expect(eventually { thread.figures["a"]?.failed ?? 0 > 0 }, "it was sent")
        #expect(eventually { !health.has(.webhooksFailing) })
        thread.stop()

        #expect(count(of: "Webhooks wait until the store can be read.") == 1)
        #expect(count(of: "Webhooks go on.") == 1)
    }

    @Test("it ends when it is told to, though the store cannot be read")
    func ends() {
        let thread = thread(failing: .max)
        #expect(eventually { health.has(.webhooksFailing) })
        thread.retry("a")
        thread.stop()

        #expect(health.has(.webhooksFailing))
        #expect(count(of: "Webhooks wait until the store can be read.") == 1)
    }

    private func wakerOfNobody() -> SenderWaker {
        let sender = HTTPSender<Int>()
        sender.waker.wake()
        return sender.waker
    }

    /// The number of a descriptor that was closed is that of the next file.
    @Test("who wakes a sender that is gone writes to no other file")
    func wakesNobody() throws {
        let waker = wakerOfNobody()
        var others: [Int32] = []
        defer { for descriptor in others { close(descriptor) } }
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        for _ in 0..<32 {
            var ends: [Int32] = [-1, -1]
            let status = socketpair(AF_UNIX, Int32(kind), 0, &ends)
            try #require(status == 0)
            others += ends
        }
        waker.wake()

        for descriptor in others {
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, 0)
            #expect(count == -1, "somebody wrote to it")
        }
    }
}
