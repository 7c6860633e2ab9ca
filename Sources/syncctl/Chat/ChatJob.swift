// Runs a chat: the model on one side, the terminal on the other, and `ChatState` between them.

import EventModel
import Glibc
import Observation
import SyncClient
import SyncModels

/// A chat in one channel, until the user leaves.
@MainActor
final class ChatJob {
    /// How many of the newest messages the device holds at the start, and how many come at a time.
    private static let page = 50

    enum Happening: Sendable {
        case terminal(TerminalWatch.News)
        case changed
        /// Something that was asked for did not come about.
        case failed(String)
    }

    private let client: SyncClient
    private let model: ChannelModel<ChatPayload>
    private let people: PeopleModel
    private let keepsUnsent: Bool
    private let happenings: AsyncStream<Happening>
    private let tell: AsyncStream<Happening>.Continuation
    private var state: ChatState

    init(_ chatting: Chatting, client: SyncClient) {
        self.client = client
        model = ChannelModel(
            client, chatting.channel, window: .last(Self.page), isPresent: true,
            coding: ChatPayload.coding)
        people = PeopleModel(client)
        keepsUnsent = chatting.cache != nil
        (happenings, tell) = AsyncStream.makeStream()
        state = ChatState(rows: 24, columns: 80, measure: .ofTerminal)
    }

    /// - Returns: When the user has left.
    /// - Throws: When there is no terminal, or the channel cannot be followed.
    func run(showsColor: Bool) async throws {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw JobError(
                code: "no_terminal", message: "A chat needs a terminal.",
                advice: "Use subscribe and publish in scripts.")
        }
        var screen = try CursesScreen(showsColor: showsColor)
        try await model.start()
        // Names are worth a try: who may not read the directory sees ids.
        try? await people.start()
        await client.start()
        TerminalWatch.begin { [tell] in tell.yield(.terminal($0)) }
        resize(screen)
        let signal = await follow(&screen)
        _ = consume screen
        if let signal { TerminalWatch.die(of: signal) }
        await model.stop()
        await people.stop()
    }

    /// - Returns: The signal that ended it; `nil`: the user left.
    private func follow(_ screen: inout CursesScreen) async -> Int32? {
        refresh()
        screen.draw(state.picture)
        for await happening in happenings {
            switch happening {
            case .terminal(.keys):
                while let key = screen.key() {
                    for intent in state.press(key) {
                        switch intent {
                        case .leave: return nil
                        case .redraw: screen.redraw()
                        case .suspend:
                            screen.suspend()
                            resize(screen)
                        default: await carryOut(intent)
                        }
                    }
                }
                TerminalWatch.goOn()
            case .terminal(.resized):
                resize(screen)
                // Terminals differ in what they keep of their old screen.
                screen.redraw()
            case .terminal(.ended(let signal)): return signal
            case .changed: refresh()
            case .failed(let sentence): state.notice = sentence
            }
            // Where nobody looks at older messages, what is there is read.
            if state.readsNow { try? await model.markRead() }
            screen.draw(state.picture)
        }
        return nil
    }

    private func resize(_ screen: borrowing CursesScreen) {
        let (rows, columns) = screen.size()
        state.resize(rows: rows, columns: columns)
    }

    // MARK: What there is to show

    /// Takes what the models have now, and tells once when that is another.
    private func refresh() {
        let (scene, problem) = withObservationTracking {
            (self.scene, model.problem)
        } onChange: { [tell] in
            tell.yield(.changed)
        }
        state.show(scene)
        guard let problem else { return }
        state.notice = "\(problem.message) (\(problem.code))"
        model.dismissProblem()
    }

    private var scene: ChatScene {
        var scene = ChatScene()
        scene.channel = model.name
        // The same moment has the same name in all rows of a second.
        scene.rows = model.items.map { item in
            ChatRow(item, name: { self.people[$0].name }, moment: { LocalTime($0) })
        }
        scene.connection = ChatScene.Connection(model.connection)
        scene.occupancy = model.occupancy
        scene.typing = model.typing.map { people[$0].name }
        scene.unread = model.unread
        scene.hasOlder = model.hasOlder
        scene.isLoadingOlder = model.isLoadingOlder
        scene.keepsUnsent = keepsUnsent
        (scene.values, scene.takesAnyValue) = ChatScene.values(under: model.rules)
        return scene
    }

    // MARK: What the user wants

    private func carryOut(_ intent: ChatIntent) async {
        do {
            switch intent {
            case .send(let text): try await model.send(ChatPayload(saying: text))
            case .edit(let id, let text):
                guard let item = item(id), var payload = item.payload else { return }
                payload.text = text
                try await model.edit(item, to: payload)
            case .toggle(let value, let id):
                if let item = item(id) { try await model.toggle(value, on: item) }
            // These wait for the daemon, and the screen goes on meanwhile.
            case .delete(let id):
                if let item = item(id) { later { [model] in try await model.delete(item) } }
            case .loadOlder: later { [model] in try await model.loadOlder(Self.page) }
            case .typed: model.typed()
            case .stoppedTyping: model.stoppedTyping()
            case .reconnect: await client.reconnectNow()
            case .redraw, .suspend, .leave: break
            }
        } catch {
            state.notice = Self.sentence(for: error)
        }
    }

    private func later(_ work: @escaping @MainActor () async throws -> Void) {
        Task { [tell] in
            do {
                try await work()
            } catch {
                tell.yield(.failed(Self.sentence(for: error)))
            }
        }
    }

    /// Without advice for who writes programs.
    private static func sentence(for error: any Error) -> String {
        (error as? SyncClientError)?.problem ?? "\(error)"
    }

    private func item(_ id: ListItem.ID) -> ChannelItem<ChatPayload>? {
        model.items.last { $0.id == id }
    }
}

extension ChatScene.Connection {
    init(_ state: SyncClient.ConnectionState) {
        self =
            switch state {
            case .idle, .connecting: .connecting
            case .waiting(_, let reason): .offline(reason: reason)
            case .online: .online
            case .closed(let reason): .closed(reason: reason)
            }
    }
}
