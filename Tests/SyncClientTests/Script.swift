// The steps that scripts are made of, and a client that plays its part.

import EventModel
import SyncClient

/// The steps of one connection.
func connection(_ steps: String...) -> String {
    "[\(steps.joined(separator: ","))]"
}

/// Waits for `hello` and welcomes.
func greeting(epoch: String = "e1") -> String {
    """
    {"expect":"hello"},{"send":{"id":"$id","ok":{"session":"0-1","time":"17952187953729000",\
    "epoch":"\(epoch)","heartbeat":25,"limits":{"frameBytes":32768,"channels":10000}}}}
    """
}

func expect(_ operation: String) -> String {
    #"{"expect":"\#(operation)"}"#
}

/// Answers the last command.
func ok(_ result: String) -> String {
    #"{"send":{"id":"$id","ok":\#(result)}}"#
}

/// Refuses the last command.
func refusal(_ status: Int, _ code: String) -> String {
    #"{"send":{"id":"$id","error":{"status":\#(status),"code":"\#(code)","message":"No."}}}"#
}

func subscribed(_ mode: String, at cursor: Int) -> String {
    expect("subscribe") + ","
        + ok(#"{"channels":[{"name":"room","mode":"\#(mode)","cursor":"\#(cursor)"}]}"#)
}

/// A push of messages at these positions.
func push(_ positions: Int...) -> String {
    let events = positions.map {
        #"{"f":0,"i":"bob","p":{"t":"\#($0)","r":1},"c":"room","d":{"n":\#($0)}}"#
    }
    return """
        {"send":{"t":{"t":"\(positions.last ?? 0)","r":1},"c":"room",\
        "m":[\(events.joined(separator: ","))]}}
        """
}

let drop = #"{"drop":true}"#

func close(_ code: Int) -> String {
    #"{"close":\#(code)}"#
}

extension SyncClient {
    /// A client that comes back at once.
    init(of server: ScriptedServer, commandTimeout: Duration = .seconds(20)) throws {
        var configuration = try SyncClient.Configuration(
            url: server.url, userID: "ada", deviceID: "phone")
        configuration.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        configuration.random = { 0 }
        configuration.commandTimeout = commandTimeout
        self.init(configuration)
    }
}

/// Takes events until `isEnough`, and returns them.
func take(
    from events: AsyncStream<SyncEvent>, until isEnough: ([SyncEvent]) -> Bool
) async -> [SyncEvent] {
    var taken: [SyncEvent] = []
    for await event in events {
        taken.append(event)
        if isEnough(taken) { break }
    }
    return taken
}

extension [SyncEvent] {
    /// The positions of all events that were told, in order.
    var positions: [UInt64] {
        flatMap { event -> [UInt64] in
            guard case .announced(_, let envelopes) = event else { return [] }
            return envelopes.map(\.timetoken.rawValue)
        }
    }
}
