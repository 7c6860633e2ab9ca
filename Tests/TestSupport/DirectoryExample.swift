// What the examples of docs/PROTOCOL.md about directories say, as values.

import EventModel

enum DirectoryExample {
    private static func place(_ last: UInt64) -> Timetoken {
        Timetoken(rawValue: 17_952_187_953_730_000 + last)
    }

    private static let ada = DirectoryEntry(
        id: "ada",
        content: #"{"id":"ada","custom":{"team":7},"name":"Ada","#
            + #""profileUrl":"https://example.com/ada.png"}"#,
        timetoken: place(400))

    private static func changing(
        _ directory: Directory, _ changes: [EntryChange], expected: Timetoken? = nil,
        mutation: String? = nil
    ) -> Command {
        .changeDirectory(
            DirectoryRequest(
                directory: directory, changes: changes, expected: expected, mutation: mutation))
    }

    private static func setting(_ id: String, _ fields: [EntryField] = []) -> EntryChange {
        EntryChange(id: id, kind: .set(fields))
    }

    static let commands: [CommandID: Command] = [
        66: changing(
            .users,
            [
                setting(
                    "ada",
                    [
                        EntryField(name: "name", value: #""Ada""#),
                        EntryField(name: "profileUrl", value: #""https://example.com/ada.png""#),
                        EntryField(name: "custom", value: #"{"team":7}"#),
                    ])
            ], mutation: "m-20"),
        67: .directory(DirectoryQuery(directory: .users, id: "ada")),
        68: .directory(
            DirectoryQuery(
                directory: .users, filter: "custom.team == 7",
                orders: [
                    DirectoryQuery.Order(.name), DirectoryQuery.Order(.updated, isDescending: true),
                ], limit: 1, counts: true)),
        69: changing(
            .users, [setting("ada", [EntryField(name: "name", value: #""Ada L.""#)])],
            expected: place(400)),
        70: changing(.users, [EntryChange(id: "ada", kind: .remove)]),
        71: changing(
            .channels,
            [
                setting(
                    "room",
                    [
                        EntryField(name: "name", value: #""The room""#),
                        EntryField(name: "description", value: nil),
                    ])
            ]),
        72: .directory(DirectoryQuery(directory: .channels, id: "room")),
        73: changing(.channels, [EntryChange(id: "den", kind: .remove)]),
        74: changing(
            .members(channel: "room"),
            [
                setting("bob", [EntryField(name: "custom", value: #"{"role":"owner"}"#)]),
                setting("eve"), EntryChange(id: "zoe", kind: .remove),
            ]),
        75: .directory(
            DirectoryQuery(
                directory: .members(channel: "room"), limit: 1, includesSubjects: true)),
        76: changing(.memberships(user: "bob"), [setting("den")]),
        77: .directory(
            DirectoryQuery(
                directory: .memberships(user: "bob"),
                orders: [DirectoryQuery.Order(.name, isOfSubject: true, isDescending: true)])),
    ]

    private static let owner = #""custom":{"role":"owner"}"#

    static let replies: [CommandID: Reply] = [
        66: .directoryChanged(place(400)),
        67: .directory(DirectoryPage(rows: [DirectoryPage.Row(entry: ada)])),
        68: .directory(
            DirectoryPage(
                rows: [DirectoryPage.Row(entry: ada)], next: "WyJBZGEiLCIyMDI2IiwiYWRhIl0",
                hasMore: true, count: 2)),
        69: .directoryChanged(place(410)), 70: .directoryChanged(place(420)),
        71: .directoryChanged(place(430)),
        72: .directory(
            DirectoryPage(rows: [
                DirectoryPage.Row(
                    entry: DirectoryEntry(
                        id: "room", content: #"{"id":"room","name":"The room"}"#,
                        timetoken: place(430)))
            ])),
        73: .directoryChanged(place(440)), 74: .directoryChanged(place(450)),
        75: .directory(
            DirectoryPage(
                rows: [
                    DirectoryPage.Row(
                        entry: DirectoryEntry(
                            id: "bob", content: #"{"id":"bob",\#(owner)}"#, timetoken: place(447)),
                        subject: DirectoryEntry(
                            id: "bob", content: #"{"id":"bob","name":"Bob"}"#, timetoken: place(1)))
                ], next: "WyJib2IiLCJib2IiXQ", hasMore: true)),
        76: .directoryChanged(place(459)),
        77: .directory(
            DirectoryPage(rows: [
                DirectoryPage.Row(
                    entry: DirectoryEntry(
                        id: "room", content: #"{"id":"room",\#(owner)}"#, timetoken: place(448))),
                DirectoryPage.Row(
                    entry: DirectoryEntry(
                        id: "den", content: #"{"id":"den"}"#, timetoken: place(459))),
            ])),
    ]
}
