// A reaction with PubNub's SDK, on your own server. With `make run` in another terminal:
//
//     cd examples/swift && swift run
//
// In an app, Info.plist needs NSAllowsLocalNetworking for as long as there is no TLS.
import Foundation
import PubNubSDK

let pubnub = PubNub(
    configuration: PubNubConfiguration(
        publishKey: "demo", subscribeKey: "demo", userId: "eve",
        useSecureConnections: false,  // Until something in front of the daemon speaks TLS.
        origin: CommandLine.arguments.dropFirst().first ?? "127.0.0.1:8080"))  // The one line.

let room = pubnub.channel("room").subscription()
room.onMessageAction = { event in
    switch event {
    case .added(let action): print("\(action.publisher) added \(action.actionValue)")
    case .removed(let action): print("\(action.publisher) removed \(action.actionValue)")
    }
}
room.subscribe()

pubnub.publish(channel: "room", message: "Shall we meet at noon?") { result in
    guard case .success(let timetoken) = result else { fatalError("\(result)") }
    pubnub.addMessageAction(
        channel: "room", type: "reaction", value: "👍", messageTimetoken: timetoken
    ) { print($0) }
}
RunLoop.main.run(until: Date() + 3)
