// Directories: what is known of users and channels, and who is in which.

import EventModel

extension Operations {
    /// Entries in an order, or one of them.
    static func directory(_ query: DirectoryQuery, for caller: some Caller) -> OperationOutcome {
        do throws(EntryScanError) {
            let scan = try EntryScan(query, keyset: caller.keyset.subscribeKey)
            return caller.ask(.directory(scan), about: query.directory.channelName)
        } catch {
            switch error {
            case .filter(let error): return .refused(.invalidFilter("\(error)"))
            case .place: return .refused(.invalidPlace)
            }
        }
    }

    /// - Precondition: No two changes are of one entry.
    static func change(_ request: DirectoryRequest, by caller: some Caller) -> OperationOutcome {
        guard caller.mayWrite else { return .refused(.invalidPublishKey) }
        let write = Write(
            origin: caller.origin, author: caller.author,
            channel: caller.channel(request.directory.channelName),
            operation: .changeDirectory(request), mutation: request.mutation)
        return caller.engine.submit(write) ? .later : .refused(.overloaded)
    }
}

extension Need {
    /// What it takes to see entries.
    ///
    /// - Source: PubNub's table of permissions; of the lists of all users and all channels it has
    ///   none: here it is a right on their names.
    static func reading(_ query: DirectoryQuery) -> Need {
        switch (query.directory, query.id) {
        case (.users, let user?): .having(.get, onUser: user)
        case (.channels, let channel?): .having(.get, on: [channel])
        case (.users, nil), (.channels, nil):
            .having(.get, on: [query.directory.channelName])
        case (.members(let channel), _): .having(.get, on: [channel])
        case (.memberships(let user), _): .having(.get, onUser: user)
        }
    }

    /// What it takes to change entries.
    static func changing(_ request: DirectoryRequest) -> Need {
        switch request.directory {
        case .users:
            Need(
                places: request.changes.map {
                    Place(kind: .user, name: $0.id, rights: $0.isRemoval ? .delete : .update)
                })
        case .channels:
            Need(
                places: request.changes.map {
                    Place(kind: .channel, name: $0.id, rights: $0.isRemoval ? .delete : .update)
                })
        case .members(let channel): .having(.manage, on: [channel])
        case .memberships(let user):
            Need(
                places: Need.having(.update, onUser: user).places
                    + Need.having(.join, on: request.changes.map(\.id)).places)
        }
    }

    private static func having(_ rights: Rights, onUser user: String) -> Need {
        Need(places: [Place(kind: .user, name: user, rights: rights)])
    }
}

extension EntryChange {
    fileprivate var isRemoval: Bool { kind == .remove }
}
