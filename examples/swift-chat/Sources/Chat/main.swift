// A chat in a terminal, on the model that a SwiftUI view would observe:
//
//     cd examples/swift-chat && swift run Chat ws://127.0.0.1:8080 ada room
//
// A line is sent. `/react 👍`, `/edit TEXT` and `/delete` are about the newest message, `/older`
// brings older ones, `/quit` ends it.

import Foundation
import SyncClient
import SyncModels

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 3 else {
    print("usage: Chat URL USER CHANNEL [CACHE]")
    exit(64)
}
let (url, user, room) = (arguments[1], arguments[2], arguments[3])

let configuration = try SyncClient.Configuration(
    url: url, userID: user, deviceID: "terminal-\(user)")
// With a file the chat is there at once the next time, and without a connection.
let client =
    if let cache = arguments.dropFirst(3).first {
        try SyncClient.open(cache: cache, configuration: configuration)
    } else {
        SyncClient(configuration)
    }
let people = PeopleModel(client)
let model = ChannelModel<Note>(client, room, isPresent: true)
try await people.start()
try await model.start()
await client.start()

let screen = Screen(model, people)
screen.draw()
for await line in Terminal.lines {
    if line == "/quit" { break }
    do {
        try await screen.obey(line)
    } catch {
        Terminal.write("! \(error)")
    }
}
while await !client.unsentWrites.isEmpty, case .online = model.connection {
    try await Task.sleep(for: .milliseconds(20))
}
await model.stop()
await people.stop()
await client.close()
