// What stands in the channels, for devices to begin with and to be compared with.

import EventModel
import JSON

/// Reads every channel from its beginning, or its newest messages, as a device that has nothing.
struct Recorder {
    private let conversation: Conversation
    private let channels: Int
    /// Messages of each window; 0: everything is read.
    private let last: Int

    init(_ server: Server, _ settings: Settings) throws(BenchError) {
        conversation = try Conversation(server, user: "recorder")
        channels = settings[.channels]
        last = settings[.last]
    }

    /// - Returns: What stands in each channel, and the epoch of its cursors.
    func read() throws(BenchError) -> (states: [SharedState], epoch: String) {
        let epoch = try conversation.reply(to: 0) { (json) throws(JSONError) in
            try json.string("epoch")
        }
        var states: [SharedState] = []
        while states.count < channels {
            let next = states.count..<min(channels, states.count + 100)
            states += last > 0 ? try readWindows(next) : try read(next)
        }
        return (states, epoch)
    }

    private func read(_ range: Range<Int>) throws(BenchError) -> [SharedState] {
        let names = range.map(FrameTemplate.channelName)
        let list = names.map { #"{"name":"\#($0)","cursor":"0"}"# }.joined(separator: ",")
        try conversation.send([#"{"id":1,"op":"subscribe","channels":[\#(list)]}"#])
        var states = try conversation.reply(to: 1) { (json) throws(JSONError) in
            let channels = try json.array("channels")
            var states: [SharedState] = []
            for index in 0..<channels.count {
                let channel = try SubscribedReply(channels.element(at: index))
                states.append(SharedState(Replica(key: channel.key), isVerified: false))
            }
            return states
        }
        while !states.allSatisfy(\.isVerified) {
            let push = try conversation.next()
            guard FrameText.isPush(push), let channel = FrameText.channel(ofPush: push) else {
                continue
            }
            do throws(JSONError) {
                states[channel - range.lowerBound] = try states[channel - range.lowerBound].after(
                    push)
            } catch {
                throw BenchError("A push cannot be read: \(error)")
            }
        }
        return states
    }

    private func readWindows(_ range: Range<Int>) throws(BenchError) -> [SharedState] {
        let names = range.map(FrameTemplate.channelName)
        let list = names.map { #"{"name":"\#($0)","window":{}}"# }.joined(separator: ",")
        try conversation.send([#"{"id":1,"op":"subscribe","channels":[\#(list)]}"#])
        let keys = try conversation.reply(to: 1) { (json) throws(JSONError) in
            let channels = try json.array("channels")
            var keys: [DigestKey] = []
            for index in 0..<channels.count {
                keys.append(try SubscribedReply(channels.element(at: index)).key)
            }
            return keys
        }
        var states: [SharedState] = []
        for (name, key) in zip(names, keys) {
            try conversation.send([
                #"{"id":2,"op":"older","channel":"\#(name)","last":\#(last)}"#
            ])
            let page = try conversation.reply(to: 2) { (json) throws(JSONError) in
                try OlderPage(json)
            }
            states.append(SharedState(Replica(key: key, window: page), isVerified: true))
        }
        return states
    }
}
