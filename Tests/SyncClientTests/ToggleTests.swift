// A tap on a reaction: there or not there, as the person sees it when tapping.

import EventModel
import SyncClient
import Testing

@Suite("Toggling a reaction", .timeLimit(.minutes(10)))
struct ToggleTests {
    private func open(_ device: String, of daemon: Daemon) async throws -> SyncClient {
        let client = SyncClient(
            try SyncClient.Configuration(url: daemon.url, userID: "ada", deviceID: device))
        await client.start()
        return client
    }

    @Test("two taps cancel, and a tap on what another device added takes it back")
    func taps() async throws {
        let daemon = try await Daemon()
        let clients = [try await open("phone", of: daemon), try await open("tablet", of: daemon)]
        let (phone, tablet) = (
            try await clients[0].channel("room"), try await clients[1].channel("room")
        )
        try await phone.publish(Message(payload: "1"))
        let message = try await eventually("the message is there") {
            await tablet.items.first?.timetoken
        }

        #expect(try await phone.toggle("👍", on: message))
        #expect(try await phone.toggle("👍", on: message) == false)
        #expect(await phone.items.first?.hasReactions == false)
        #expect(try await phone.toggle("❤", on: message))
        try await eventually("the heart is on the tablet") {
            await tablet.items.first?.reactions.map(\.value) == ["❤️"]
        }
        #expect(await tablet.items.first?.hasReactions == true)
        // In another spelling: it is the same one.
        #expect(try await tablet.toggle("❤", on: message) == false)
        try await eventually("it is gone on the phone") {
            await phone.items.first?.hasReactions == false
        }
        try await eventually("both are equal") {
            guard await phone.isVerified, await tablet.isVerified else { return false }
            return await phone.base.cache.actions.isEmpty
        }
        for client in clients { await client.close() }
    }
}
