// A channel on a screen of Apple's: NOT COMPILED by the tests of this repository, which run on Linux,
// where there is no SwiftUI. Only its syntax is checked. README.md lists what that leaves open.

import EventModel
import SwiftUI
import SyncClient
import SyncModels

struct Note: Codable, Sendable {
    var text: String
}

/// A list of days, a bar of bubbles below each message, and a field to write in.
struct ChatView: View {
    let model: ChannelModel<Note>
    let people: PeopleModel
    @State private var draft = ""
    @State private var failure: String?

    var body: some View {
        ScrollView {
            LazyVStack(alignment: .leading, spacing: 12) {
                if model.hasOlder {
                    ProgressView().task { await attempt { try await model.loadOlder() } }
                }
                ForEach(model.days) { day in
                    Text(day.date, style: .date).font(.caption).foregroundStyle(.secondary)
                    ForEach(day.items) { item in
                        MessageRow(item: item, author: people[item.author]) { value in
                            Task { await attempt { try await model.toggle(value, on: item) } }
                        }
                    }
                }
            }
            .padding()
        }
        .defaultScrollAnchor(.bottom)
        .safeAreaInset(edge: .bottom) { composer }
        .navigationTitle(model.name)
        .task {
            await attempt { try await model.start() }
        }
        .onDisappear { Task { await model.stop() } }
        .onChange(of: model.items.last?.timetoken) {
            Task { await attempt { try await model.markRead() } }
        }
        .alert("Not sent", isPresented: hasProblem) {
            Button("OK") { model.dismissProblem() }
        } message: {
            Text(model.problem?.message ?? "")
        }
    }

    private var composer: some View {
        VStack(alignment: .leading, spacing: 4) {
            if !model.typing.isEmpty {
                Text(model.typing.map { people[$0].name }.formatted(.list(type: .and)) + " …")
                    .font(.caption)
            }
            HStack {
                TextField("Message", text: $draft, axis: .vertical)
                    .onChange(of: draft) { if !draft.isEmpty { model.typed() } }
                Button("Send") {
                    let note = Note(text: draft)
                    draft = ""
                    Task { await attempt { try await model.send(note) } }
                }
                .disabled(draft.isEmpty)
            }
            if let failure { Text(failure).font(.caption).foregroundStyle(.red) }
        }
        .padding()
        .background(.bar)
    }

    private var hasProblem: Binding<Bool> {
        Binding(get: { model.problem != nil }, set: { if !$0 { model.dismissProblem() } })
    }

    private func attempt<Outcome>(_ wish: () async throws -> Outcome) async {
        do {
            _ = try await wish()
            failure = nil
        } catch SyncClientError.cancelled {
            // The view is gone that wanted it.
        } catch {
            failure = "\(error)"
        }
    }
}

/// One message with its bubbles; a tap on a bubble toggles it.
struct MessageRow: View {
    let item: ChannelItem<Note>
    let author: Person
    let toggle: (String) -> Void

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            Text(author.name).font(.caption.bold())
            Text(item.payload?.text ?? item.raw).opacity(item.isPending ? 0.5 : 1)
            HStack {
                ForEach(item.bubbles) { bubble in
                    Button("\(bubble.value) \(bubble.countText)") { toggle(bubble.value) }
                        .buttonStyle(.bordered)
                        .tint(bubble.isOwn ? .accentColor : .secondary)
                        .opacity(bubble.isPending ? 0.5 : 1)
                        .accessibilityLabel("\(bubble.value), \(bubble.count)")
                        .accessibilityAddTraits(bubble.isOwn ? .isSelected : [])
                }
            }
        }
        .contextMenu {
            ForEach(ListItem.Reaction.usualValues, id: \.self) { value in
                Button(value) { toggle(value) }
            }
        }
    }
}
