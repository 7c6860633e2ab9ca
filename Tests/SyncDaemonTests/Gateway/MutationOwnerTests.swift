// Whose a mutation id is: nobody takes the next one of another user, at either door.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Owners of mutation ids")
struct MutationOwnerTests {
    private let bench: AccessBench = {
        var keyset = AccessBench.keyset
        keyset.webKeys = AccessBench.webKeys
        return AccessBench(keyset: keyset)
    }()
    private let publish =
        #"{"id":1,"op":"publish","channel":"room","payload":1,"mutation":"next"}"#

    @Test("a mutation is of the user and device that said hello, whatever a command says")
    func native() throws {
        let token = try AccessBench.token(channels: ["room": 255], user: "ada")
        let (session, codes) = try bench.session(token, device: "phone")
        #expect(codes == [nil])
        _ = try bench.send(
            #"{"id":1,"op":"publish","channel":"room","payload":1,"mutation":"next","#
                + #""userId":"bob","deviceId":"bobs"}"#, session)
        #expect(bench.writes.map(\.mutation) == ["next"])
        #expect(
            bench.writes.map(\.author)
                == [Author(keyset: "sub", userID: "ada", deviceID: "phone")])
    }

    @Test("who has the token of one user says hello as no other, and takes none of its ids")
    func otherUser() throws {
        for token in [
            try AccessBench.token(channels: ["room": 255], user: "ada"),
            AccessBench.webToken(["write"]),
        ] {
            let (session, codes) = try bench.session(token, user: "bob")
            #expect(codes == ["token_of_another"])
            _ = try bench.send(publish, session)
        }
        #expect(bench.writes == [])
    }

    @Test("a token that names a device keeps the user's other devices out of its ids")
    func otherDevice() throws {
        let token = AccessBench.webToken(["write"], device: "phone")
        let (other, codes) = try bench.session(token, device: "laptop")
        #expect(codes == ["token_of_another"])
        _ = try bench.send(publish, other)
        #expect(bench.writes == [])
        let (session, greeting) = try bench.session(token, device: "phone")
        #expect(greeting == [nil])
        _ = try bench.send(publish, session)
        #expect(bench.writes.map(\.author.deviceID) == ["phone"])
    }

    @Test("a request writes under its token's user, and has no mutation id to take")
    func requests() throws {
        let token = try AccessBench.token(channels: ["room": 255], user: "ada")
        let target = "/publish/pub/sub/0/room/0/1?mutation=next&deviceId=phone"
        #expect(bench.status(.get, target, token: token, user: "bob") == 403)
        #expect(bench.writes == [])
        #expect(bench.status(.get, target, token: token) == nil)
        #expect(
            bench.writes.map(\.author) == [Author(keyset: "sub", userID: "ada", deviceID: "")])
        #expect(bench.writes.map(\.mutation) == [nil])
    }
}
