// Random worlds: whatever is lost, a device becomes equal to the server, and shows no wish twice.

import Basis
import EventModel
import Testing

/// Devices, a server and what goes wrong between them.
private struct World {
    var server: ModelServer
    var devices: [ModelDevice]
    var generator: SeededGenerator
    var clock: UInt64 = 2000
    private var count = 0
    private var backup: ModelServer?

    init(seed: UInt64, users: [String]) {
        server = ModelServer(seed: seed &+ 1)
        generator = SeededGenerator(seed: seed)
        devices = users.enumerated().map { ModelDevice(id: $0, user: $1) }
    }

    /// Something of what people do.
    mutating func act() {
        clock += UInt64(generator.below(20))
        let index = generator.below(devices.count)
        let name = generator.pick(ModelDevice.channels)
        switch generator.below(10) {
        case 0..<2:
            count += 1
            devices[index].publish("\(count)", in: name)
        case 2..<8:
            let messages = devices[index].device.channel(name)?.base.cache.messages.keys.sorted()
            guard let messages, !messages.isEmpty else { return }
            let message = generator.pick(messages)
            devices[index].react(
                generator.pick(["👍", "🎉"]), generator.chance(60), on: message, in: name)
        default: break
        }
    }

    /// Something of what goes wrong between device and server.
    mutating func disturb() {
        let index = generator.below(devices.count)
        if devices[index].isConnected {
            devices[index].disconnect(from: &server)
            if generator.chance(30) { devices[index].crash() }
        } else {
            devices[index].connect(to: &server)
        }
    }

    /// Something of what an operator, time or a bad disk does.
    mutating func disrupt() {
        let (index, name) = (generator.below(devices.count), generator.pick(ModelDevice.channels))
        switch generator.below(9) {
        case 0: server.collectTombstones()
        case 8: moderate(name)
        case 1:
            let messages = server.channels[name]?.messages.keys.sorted() ?? []
            guard messages.count > 3 else { return }
            let start = generator.below(messages.count - 1)
            server.deleteMessages(
                after: messages[start], through: messages[start + 1], in: name, clock)
        case 2: loseConnections { $0.restart() }
        case 3: backup = server
        case 4:
            guard let backup else { return }
            loseConnections { $0.restore(backup) }
        case 5 where generator.chance(30): loseConnections { $0.replace() }
        default:
            // A damaged file: some rows are gone, or are not what they were.
            devices[index].disconnect(from: &server)
            damage(index, name)
            devices[index].crash()
        }
    }

    private mutating func moderate(_ name: String) {
        let messages = server.channels[name]?.messages.keys.sorted() ?? []
        guard let message = messages.last else { return }
        let clearing = generator.pick([
            Clearing(messageTimetoken: message), Clearing(userID: "ada"),
            Clearing(type: "reaction", value: "👍"),
            Clearing(messageTimetoken: message, type: "reaction", userID: "bob"),
        ])
        server.clear(clearing, in: name, clock)
    }

    private mutating func damage(_ index: Int, _ name: String) {
        let actions = devices[index].disk.channels[name]?.actions ?? [:]
        for (key, timetoken) in actions.sorted(by: { $0.key < $1.key }) where generator.chance(20) {
            devices[index].disk.channels[name]?.actions[key] =
                generator.chance(50) ? nil : Timetoken(rawValue: timetoken.rawValue + 1)
        }
    }

    private mutating func loseConnections(_ body: (inout ModelServer) -> Void) {
        for index in devices.indices { devices[index].disconnect(from: &server) }
        body(&server)
    }

    mutating func exchange() {
        let index = generator.below(devices.count)
        devices[index].exchange(with: &server, at: clock, &generator)
        if generator.chance(5) { devices[index].retry() }
    }

    /// Lets everything arrive.
    mutating func settle() {
        for index in devices.indices where !devices[index].isConnected {
            devices[index].connect(to: &server)
        }
        for _ in 0..<200_000 {
            let isIdle = devices.allSatisfy {
                $0.isIdle(at: server) && $0.device.outbox.isEmpty
            }
            if isIdle, devices.allSatisfy(\.isVerified) { return }
            clock += 1
            exchange()
        }
    }

    func expectEquality() {
        for device in devices {
            #expect(device.device.outbox.isEmpty)
            for name in ModelDevice.channels {
                guard let channel = device.device.channel(name) else { continue }
                let kept = server.channels[name]
                let actions = (kept?.live ?? []).map { ($0.key, $0.actionTimetoken) }
                let (isVerified, base) = (channel.isVerified, channel.base.cache)
                #expect(isVerified, "device \(device.id), \(name): \(channel.phase)")
                #expect(base.messages == kept?.messages ?? [:])
                #expect(base.actions == Dictionary(uniqueKeysWithValues: actions))
                device.expectViewsOfLists(name)
            }
        }
    }
}

extension ModelDevice {
    fileprivate var isVerified: Bool {
        Self.channels.allSatisfy { device.channel($0)?.isVerified == true }
    }

    /// The list that an application made of the changes is what the view would be, made anew; and
    /// the disk holds what the memory holds.
    fileprivate func expectViewsOfLists(_ name: String) {
        guard let base = device.channel(name)?.base else { return }
        let view = ChannelView(base, device.outbox.entries(of: name), user: user)
        let (list, anew) = (lists[name]?.map(\.shown) ?? [], view.items.map(\.shown))
        let difference = list.difference(from: anew).map { "\($0)" }.joined(separator: "\n")
        #expect(difference.isEmpty, "what the changes made of the list, beside the list anew")
        #expect(Set(lists[name]?.map(\.id) ?? []).count == list.count, "each row has its own name")
        let saved = disk.channels[name]?.base
        if base.cursor > .zero { #expect(saved?.cache.canonicalBytes == base.cache.canonicalBytes) }
        #expect(disk.outbox == device.outbox.entries)
    }
}

extension ListItem {
    /// What a person can see of it.
    fileprivate var shown: String {
        "\(asMadeAnew.id) \(uuid) \(message.payload) \(isPending) \(reactions)"
    }
}

@Suite("Devices in random worlds")
struct DeviceConvergenceTests {
    @Test(
        "after any loss every device becomes equal to the server",
        arguments: Array(0..<30) + [64, 136, 250])
    func converges(seed: UInt64) {
        var world = World(seed: seed, users: ["ada", "ada", "bob", "cy"])
        for step in 0..<1500 {
            switch world.generator.below(40) {
            case 0: world.disturb()
            case 1 where step > 200 && world.generator.chance(30): world.disrupt()
            case 2..<12: world.act()
            default: world.exchange()
            }
            if step % 50 == 0 {
                for device in world.devices {
                    for name in ModelDevice.channels { device.expectViewsOfLists(name) }
                }
            }
        }
        world.settle()
        world.expectEquality()
    }

    @Test("the worlds climb every rung")
    func rungs() {
        var rungs: [SubscribedChannel.Mode: Int] = [:]
        var (decoded, more, snapshots) = (0, 0, 0)
        for seed in UInt64(0)..<20 {
            var world = World(seed: seed, users: ["ada", "ada", "bob", "cy"])
            for step in 0..<1500 {
                switch world.generator.below(40) {
                case 0: world.disturb()
                case 1 where step > 200 && world.generator.chance(30): world.disrupt()
                case 2..<12: world.act()
                default: world.exchange()
                }
            }
            rungs.merge(world.server.rungs, uniquingKeysWith: +)
            decoded += world.server.repairs.decoded
            more += world.server.repairs.more
            snapshots += world.server.repairs.snapshots
        }

        for mode in [SubscribedChannel.Mode.current, .delta, .repair, .snapshot] {
            #expect(rungs[mode, default: 0] > 10, "\(mode)")
        }
        #expect(decoded > 10)
    }

    /// One device per user, so that nobody else changes what it wished.
    @Test("a wish is seen at once and never flickers; each is applied once", arguments: 0..<24)
    func neverFlickers(seed: UInt64) {
        var world = World(seed: seed, users: ["ada", "bob", "cy"])
        var wishes: [Int: [String: [MessageAction.Key: Bool]]] = [:]
        var payloads: [Int: [String: [String]]] = [:]
        var count = 0
        for step in 0..<1500 {
            let index = world.generator.below(3)
            let name = world.generator.pick(ModelDevice.channels)
            switch world.generator.below(40) {
            case 0: world.disturb()
            case 1 where step % 300 == 299: world.server.collectTombstones()
            case 2..<4:
                count += 1
                world.devices[index].publish("\(count)", in: name)
                payloads[index, default: [:]][name, default: []].append("\(count)")
            case 4..<14:
                let messages = world.devices[index].lists[name]?.compactMap(\.timetoken) ?? []
                guard !messages.isEmpty else { continue }
                let message = world.generator.pick(Array(messages.suffix(3)))
                let (value, wish) = (world.generator.pick(["👍", "🎉"]), world.generator.chance(50))
                world.devices[index].react(value, wish, on: message, in: name)
                let key = MessageAction.Key(
                    messageTimetoken: message, type: "reaction", value: value,
                    uuid: world.devices[index].user)
                wishes[index, default: [:]][name, default: [:]][key] = wish
            default: world.exchange()
            }
            world.clock += 1
            for (index, channels) in wishes {
                for (name, keys) in channels { world.devices[index].expectShown(keys, in: name) }
            }
            for (index, channels) in payloads {
                for (name, own) in channels { world.devices[index].expectOnce(own, in: name) }
            }
        }
        world.settle()
        world.expectEquality()
        for (name, channel) in world.server.channels {
            let written = channel.messages.values.map(\.message.payload)
            #expect(written.count == Set(written).count)
            for (index, channels) in payloads {
                let own = channel.messages.sorted { $0.key < $1.key }.map(\.value)
                    .filter { $0.uuid == world.devices[index].user }.map(\.message.payload)
                #expect(own == channels[name] ?? [])
            }
        }
    }
}

extension ModelDevice {
    /// What the user wished is what the list shows.
    fileprivate func expectShown(_ keys: [MessageAction.Key: Bool], in name: String) {
        for (key, wish) in keys {
            guard
                let item = lists[name]?.first(where: { $0.timetoken == key.messageTimetoken })
            else { continue }
            let mine = item.reactions.contains { $0.value == key.value && $0.isMine }
            #expect(mine == wish, "\(key.value) on \(key.messageTimetoken)")
        }
    }

    /// Each message of the user is in the list, once.
    fileprivate func expectOnce(_ payloads: [String], in name: String) {
        let shown = lists[name]?.filter { $0.uuid == user }.map(\.message.payload) ?? []
        #expect(shown.sorted() == payloads.sorted())
    }
}
