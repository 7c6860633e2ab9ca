// What webhooks are to get is written with the events themselves, and nothing else.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: webhooks")
struct LedgerOutboxTests {
    private let store: FaultyStore
    private let bench: LedgerBench

    init() {
        store = FaultyStore()
        bench = LedgerBench(store)
    }

    private func webhook(
        _ name: String = "hook", _ change: (inout Webhook) -> Void = { _ in }
    ) -> Webhook {
        var webhook = Webhook(name: name)
        change(&webhook)
        return webhook
    }

    private func places(_ webhook: String = "hook") throws -> [(batch: UInt64, rows: [UInt64])] {
        let reader = try store.makeReader()
        let waiting = store.base.durable.outbox.waiting
        return try waiting.keys.filter { $0.webhook == webhook }.sorted { $0.batch < $1.batch }
            .map { place in
                (
                    place.batch.rawValue,
                    try reader.rows(of: place).map(\.timetoken.rawValue)
                )
            }
    }

    @Test("a webhook gets what it asked for, as clients do, in the same commit")
    func writes() throws {
        bench.ledger.outbox.webhooks = [
            webhook(), webhook("other") { $0.kinds = [.actionAdded] },
            webhook("elsewhere") { $0.patterns = [ChannelPattern("chat.*")].compactMap(\.self) },
            webhook("foreign") { $0.keyset = "another" },
        ]

        let commit = bench.commit(
            write(.publish(.numbered(1))), write(.add(.on(1000))), write(.add(.on(1000))))

        let lanes = ["hook", "other"].map {
            LaneID(webhook: $0, number: WebhookLane.number(of: "default", "room"))
        }
        #expect(commit.outbox?.lanes == Set(lanes))
        #expect(try places().map(\.rows) == [[1000, 1001]])
        #expect(try places("other").map(\.rows) == [[1001]])
        #expect(try places("elsewhere").isEmpty)
        #expect(try places("foreign").isEmpty)
        let rows = try store.makeReader().rows(
            of: #require(store.base.durable.outbox.first(of: "hook")))
        #expect(
            rows.map(\.event)
                == commit.events.map { String(decoding: EncodedEnvelope($0).json, as: UTF8.self) })
        #expect(commit.outbox?.uses?["hook"]?.waiting.rows == 2)
    }

    @Test("without a webhook nothing is written")
    func nothing() throws {
        #expect(bench.commit(write(.publish(.numbered(1)))).outbox == nil)
        #expect(store.base.durable.outbox.waiting.isEmpty)
    }

    @Test("a commit that fails leaves nothing, and what it took of steps is taken by the next")
    func fails() throws {
        bench.ledger.outbox.webhooks = [webhook()]
        _ = bench.commit(write(.publish(.numbered(1))))
        let place = try #require(store.base.durable.outbox.first(of: "hook"))
        bench.ledger.outboxSteps = [.delivered(place)]
        store.fault = (.commit, .full)

        let failed = bench.commit(write(.publish(.numbered(2))))
        #expect(failed.outbox == nil)
        #expect(try places().map(\.rows) == [[1000]])
        store.fault = nil
        bench.wall = 3000
        let commit = bench.commit(write(.publish(.numbered(2))))

        #expect(commit.outbox?.settled == [place])
        #expect(bench.ledger.outboxSteps.isEmpty)
        #expect(commit.outbox?.uses?["hook"]?.waiting.rows == 1)
        // Not the batch before: somebody may have begun to send that.
        #expect(try places().map(\.batch) == [3000])
    }

    @Test("on a full disk what was delivered goes row by row, beside writes, and others after it")
    func fullDisk() throws {
        bench.ledger.outbox.webhooks = [webhook()]
        for number in 1...5 as ClosedRange<UInt64> {
            _ = bench.commit(write(.publish(.numbered(number))))
        }
        let first = try #require(store.base.durable.outbox.first(of: "hook"))
        bench.wall = 40_000_000
        _ = bench.commit(write(.publish(.numbered(6))))
        let second = OutboxPlace(
            webhook: "hook", lane: first.lane, batch: tick(40_000_000))
        bench.ledger.outboxSteps = [.buried(second, reason: "old"), .delivered(first)]
        store.removableRows = 2
        _ = bench.commit(write(.publish(.numbered(7))))
        #expect(bench.failure == .full)

        var (settled, left): ([OutboxPlace], [Int]) = ([], [])
        repeat {
            bench.failure = nil
            let commit = bench.ledger.settleOutbox(after: .zero, failure: &bench.failure)
            settled += commit.outbox?.settled ?? []
            left.append(try store.makeReader().rows(of: first).count)
            let wasFull = bench.failure == .full
            #expect(wasFull == (left.count == 3))
            // Others are committed meanwhile, and take none of these along.
            bench.failure = nil
            let other = bench.commit(write(.publish(.numbered(8))))
            #expect(bench.failure == nil && other.outbox?.settled == [])
        } while !bench.ledger.outboxSteps.isEmpty && left.count < 10

        #expect(left == [4, 2, 2, 1, 0, 0])
        #expect(settled == [first, second])
        #expect(!bench.ledger.hasOutboxWork)
        #expect(try store.outboxUse()["hook"] == bench.ledger.outbox.uses?["hook"])
    }

    private static let damage = StoreError.damaged(path: "db", reason: "page 7")
    private static let second: UInt64 = 10_000_000

    @Test("damage that is over in a moment refuses writes meanwhile, and costs webhooks nothing")
    func momentaryDamage() throws {
        bench.ledger.outbox.webhooks = [webhook()]
        bench.ledger.outboxSteps = [.revived(webhook: "hook")]
        store.fault = (.outbox, Self.damage)
        for _ in 0..<2 {
            bench.wall += UInt64(Limits.webhookDamageSeconds) * Self.second / 2 - 1
            let refused = bench.commit(write(.publish(.numbered(1))))
            // Not `store_damaged`, which devices do not try again.
            #expect(refused.answers[0].result == .failure(.storeUnavailable))
            #expect(refused.events.isEmpty)
            #expect(bench.failure == .unreadable(path: "db", reason: "page 7"))
        }
        #expect(!bench.ledger.quarantine.holds(.outbox))
        #expect(!bench.ledger.outboxSteps.isEmpty)

        (store.fault, bench.failure) = (nil, nil)
        let commit = bench.commit(write(.publish(.numbered(1))))

        #expect(bench.failure == nil)
        #expect(commit.outbox?.missed == [:])
        #expect(bench.ledger.outboxSteps.isEmpty)
        #expect(try places().map(\.rows) == [[bench.wall]])
    }

    @Test("a write of which no webhook is to hear meets no damage of theirs")
    func unconcernedByDamage() throws {
        bench.ledger.outbox.webhooks = [webhook { $0.keyset = "another" }]
        store.fault = (.outbox, Self.damage)

        let commit = bench.commit(write(.publish(.numbered(1))))

        #expect(try commit.answers[0].result.get() == .published(tick(bench.wall)))
        #expect(bench.failure == nil && commit.outbox == nil)
    }

    @Test("what waits is counted as soon as that can be read, without a write")
    func countedLater() {
        bench.ledger.outbox.webhooks = [webhook()]
        _ = bench.commit(write(.publish(.numbered(1))))
        bench.ledger.outbox.uses = nil
        store.fault = (.outbox, Self.damage)
        #expect(bench.ledger.retryOutbox() == nil)
        store.fault = nil
        #expect(bench.ledger.retryOutbox()?.uses?["hook"]?.waiting.rows == 1)
        #expect(bench.ledger.retryOutbox() == nil)
    }

    /// Publishes until webhooks are left alone.
    private func outlastPatience() {
        for _ in 0...Limits.webhookDamageSeconds {
            _ = bench.commit(write(.publish(.numbered(1))))
            bench.wall += Self.second
        }
        bench.failure = nil
    }

    @Test("damage that lasts ends webhooks, which count what they miss, and costs no more writes")
    func lastingDamage() throws {
        let place = OutboxPlace(webhook: "hook", lane: 0, batch: tick(7))
        bench.ledger.outbox.webhooks = [webhook(), webhook("other") { $0.keyset = "another" }]
        store.fault = (.outbox, Self.damage)
        outlastPatience()
        bench.ledger.outboxSteps = [.delivered(place), .sealed(place)]

        let commit = bench.commit(write(.publish(.numbered(2))), write(.publish(.numbered(3))))

        #expect(commit.answers.allSatisfy { (try? $0.result.get()) != nil })
        #expect(commit.outbox?.missed == ["hook": 2])
        #expect(bench.failure == nil)
        // What a receiver has is to be told yet; and nothing is tried until the next heartbeat.
        #expect(bench.ledger.outboxSteps == [.delivered(place)])
        #expect(!bench.ledger.hasOutboxSteps)
        #expect(!bench.ledger.hasOutboxWork)
    }

    @Test("webhooks that are left alone are tried again, and go on when the damage is mended")
    func mendedDamage() throws {
        bench.ledger.outbox.webhooks = [webhook()]
        store.fault = (.outbox, Self.damage)
        outlastPatience()
        for isMended in [false, true] {
            if isMended { store.fault = nil }
            bench.wall += Self.second
            _ = bench.ledger.retryOutbox()
            let commit = bench.commit(write(.publish(.numbered(1))))
            #expect(try commit.answers[0].result.get() == .published(tick(bench.wall)))
            #expect(bench.ledger.quarantine.holds(.outbox) == !isMended)
            #expect(commit.outbox?.missed == (isMended ? [:] : ["hook": 1]))
        }
        #expect(try places().map(\.rows) == [[bench.wall]])
        // Whoever meets it again long after waits again.
        store.fault = (.outbox, Self.damage)
        bench.wall += UInt64(Limits.webhookDamageForgottenSeconds) * Self.second
        let commit = bench.commit(write(.publish(.numbered(1))))
        #expect(commit.answers[0].result == .failure(.storeUnavailable))
    }

    @Test("events join a batch until it is due or full; then another begins")
    func batches() throws {
        bench.ledger.outbox.webhooks = [
            webhook {
                $0.windowMilliseconds = 1
                $0.eventsMax = 3
            }
        ]
        for wall in [1000, 2000, 11_000, 11_500, 21_500, 21_501] as [UInt64] {
            bench.wall = wall
            _ = bench.commit(write(.publish(.numbered(wall))))
        }

        // 10,000 ticks are a millisecond; the last finds more than a request's worth waiting.
        #expect(try places().map(\.rows) == [[1000, 2000, 11_000], [11_500, 21_500, 21_501]])
        bench.wall = 21_502
        _ = bench.commit(write(.publish(.numbered(7))))
        bench.wall = 40_000_000
        _ = bench.commit(write(.publish(.numbered(8))))
        #expect(try places().last?.rows == [21_502, 40_000_000])
    }

    @Test("nothing joins a batch that is sealed")
    func sealed() throws {
        bench.ledger.outbox.webhooks = [webhook()]
        _ = bench.commit(write(.publish(.numbered(1))))
        let place = try #require(store.base.durable.outbox.first(of: "hook"))
        bench.ledger.outboxSteps = [.sealed(place)]

        let commit = bench.commit(write(.publish(.numbered(2))))

        #expect(commit.outbox?.sealed == [place])
        #expect(try places().map(\.rows) == [[1000], [1001]])
    }

    @Test("reactions to an author's messages are collected, but for the author's own")
    func collects() throws {
        bench.ledger.outbox.webhooks = [webhook { $0.collecting = .author }]
        _ = bench.commit(write(.publish(.numbered(1))))
        bench.wall = 50_000_000

        _ = bench.commit(
            write(.add(.on(1000, by: "bob"))), write(.add(.on(1000, by: "ada"))),
            write(.add(.on(2, by: "bob"))), write(.remove(.on(1000, by: "bob"), observed: nil)))

        let all = try places()
        #expect(all.map(\.rows) == [[50_000_000, 50_000_003]])
        let waiting = store.base.durable.outbox.waiting.values.flatMap(\.self)
        #expect(waiting.map(\.author) == ["ada", "ada"])
        #expect(waiting.allSatisfy { $0.due == tick(350_000_000) })
    }

    @Test("a batch that is open hears of what was cleared or deleted, if it speaks of it")
    func takesBack() throws {
        bench.ledger.outbox.webhooks = [
            webhook { $0.collecting = .author }, webhook("other") { $0.kinds = [.message] },
        ]
        _ = bench.commit(write(.publish(.numbered(1))), write(.publish(.numbered(2))))
        bench.wall = 2000
        _ = bench.commit(write(.add(.on(1000, by: "bob"))))
        bench.wall = 3000
        _ = bench.commit(write(.clear(Clearing(messageTimetoken: tick(1001)))))
        _ = bench.commit(write(.clear(Clearing(type: "receipt", userID: "bob"))))
        #expect(try places().map(\.rows) == [[2000]], "it concerns others")

        let events =
            bench.commit(write(.clear(Clearing(userID: "bob")))).events
            + bench.commit(write(.deleteMessages(after: .zero, through: tick(1000)))).events

        #expect(events.count == 2)
        #expect(try places().map(\.rows) == [[2000] + events.map(\.timetoken.rawValue)])
        #expect(try places("other").map(\.rows) == [[1000, 1001]])
        let place = try #require(store.base.durable.outbox.first(of: "hook"))
        let rows = try store.makeReader().rows(of: place)
        #expect(rows.allSatisfy { $0.author == "ada" && $0.due == rows[0].due })
        #expect(DeliveryBody.bytes(of: rows, at: place) == nil, "nothing is left to tell")
    }

    @Test("a reaction is collected also when its message goes in the same commit")
    func deletedBeside() throws {
        bench.ledger.outbox.webhooks = [webhook { $0.collecting = .author }]
        _ = bench.commit(write(.publish(.numbered(1))), write(.publish(.numbered(2))))
        _ = bench.commit(write(.add(.on(1000, by: "bob"))), write(.add(.on(1001, by: "bob"))))
        bench.wall = 2000 + 301_000_000

        _ = bench.commit(
            write(.remove(.on(1000, by: "bob"), observed: nil)),
            write(.add(.on(1000, by: "eve"))), write(.deleteMessage(tick(1000))))

        let place = try #require(
            store.base.durable.outbox.waiting.keys.max { $0.batch < $1.batch })
        let body = try #require(
            DeliveryBody.bytes(of: store.makeReader().rows(of: place), at: place))
        let text = String(decoding: body, as: UTF8.self)
        #expect(text.contains(#""messageTimetoken":"1000""#))
        #expect(text.contains(#""added":0,"removed":1,"users":[]"#), "eve's came and went")
    }

    @Test("a batch that is closed tells what it has, whatever is cleared then")
    func closedIsNotTakenBack() throws {
        bench.ledger.outbox.webhooks = [webhook { $0.collecting = .author }]
        _ = bench.commit(write(.publish(.numbered(1))))
        bench.wall = 2000
        _ = bench.commit(write(.add(.on(1000, by: "bob"))))
        bench.wall = 2000 + 301_000_000
        _ = bench.commit(write(.clear(Clearing(userID: "bob"))))

        #expect(try places().map(\.rows) == [[2000]])
    }

    @Test("a batch that is full is known to be, in the commit that fills it")
    func full() throws {
        bench.ledger.outbox.webhooks = [webhook { $0.eventsMax = 2 }]
        let first = bench.commit(write(.publish(.numbered(1))))
        #expect(first.outbox?.sealed == [])
        let commit = bench.commit(write(.publish(.numbered(2))), write(.publish(.numbered(3))))

        #expect(commit.outbox?.sealed.map(\.batch) == [tick(1000)])
        bench.ledger.outbox.webhooks = [webhook { $0.eventsMax = 9 }]
        _ = bench.commit(write(.publish(.numbered(4))))
        #expect(try places().map(\.rows) == [[1000, 1001], [1002, 1003]])
    }

    @Test("actions of other types are not collected", arguments: ["receipt", "edited", "deleted"])
    func collectsReactionsAlone(type: String) throws {
        bench.ledger.outbox.webhooks = [webhook { $0.collecting = .author }]
        _ = bench.commit(write(.publish(.numbered(1))))

        _ = bench.commit(write(.add(.on(1000, type: type, by: "bob"))))

        #expect(try places().isEmpty)
    }

    @Test("what is given up can be sent once more, some requests in each commit")
    func revives() throws {
        bench.ledger.outbox.webhooks = [webhook { $0.eventsMax = 1 }]
        let count = Limits.revivedPerCommitMax + 3
        for number in 1...UInt64(count) {
            bench.wall = number * 1000
            _ = bench.commit(write(.publish(.numbered(number))))
        }
        bench.ledger.outboxSteps = try places().map {
            .buried(
                OutboxPlace(
                    webhook: "hook", lane: WebhookLane.number(of: "default", "room"),
                    batch: tick($0.batch)), reason: "status 410")
        }
        var uses = bench.commit().outbox?.uses?["hook"]
        #expect(uses?.dead.rows == count && uses?.waiting.rows == 0)

        bench.ledger.outboxSteps = [.revived(webhook: "hook")]
        uses = bench.commit().outbox?.uses?["hook"]
        #expect(uses?.dead.rows == 3 && bench.ledger.hasOutboxWork)
        let last = bench.commit().outbox
        #expect(last?.uses?["hook"]?.waiting.rows == count && last?.lanes.isEmpty == false)
        #expect(!bench.ledger.hasOutboxWork && bench.ledger.outboxSteps.isEmpty)
    }
}
