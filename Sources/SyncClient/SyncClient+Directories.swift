// Users, channels and members: asked for and changed; needs a connection.

public import EventModel

extension SyncClient {
    /// Asks for entries of a directory, which need not be followed.
    ///
    /// Whoever shows many names follows the directory instead: see ``DirectoryEntries``.
    public func directory(
        _ query: DirectoryQuery
    ) async throws(SyncClientError) -> DirectoryPage {
        guard case .directory(let page) = try await perform(.directory(query)) else {
            throw Self.mismatch
        }
        return page
    }

    /// Changes entries of a directory: all that the request names, or none.
    ///
    /// - Parameter request: Of users and channels one entry at a time. Without a `mutation` the
    ///   client makes one, so that it happens once however often it is sent.
    /// - Returns: Of the one entry that was set, since when it is so; else where the change is in
    ///   the order.
    @discardableResult
    public func change(_ request: DirectoryRequest) async throws(SyncClientError) -> Timetoken {
        var request = request
        request.mutation = request.mutation ?? nextMutation()
        guard
            case .directoryChanged(let timetoken, _) = try await perform(.changeDirectory(request))
        else { throw Self.mismatch }
        return timetoken
    }

    /// Makes an entry of a directory, or changes these fields of it and leaves the others.
    ///
    /// - Parameter expected: Nothing is changed when the entry has another timetoken.
    @discardableResult
    public func set(
        _ id: String, _ fields: [EntryField], in directory: Directory, expected: Timetoken? = nil
    ) async throws(SyncClientError) -> Timetoken {
        let change = EntryChange(id: id, kind: .set(fields))
        return try await self.change(
            DirectoryRequest(directory: directory, changes: [change], expected: expected))
    }

    /// Takes an entry out of a directory; nothing happens when there is none.
    public func remove(
        _ id: String, from directory: Directory
    ) async throws(SyncClientError) {
        let change = EntryChange(id: id, kind: .remove)
        try await self.change(DirectoryRequest(directory: directory, changes: [change]))
    }
}
