// The cache of a chat is for nobody else to read.

import Foundation
import SyncClient
import Testing

@testable import syncctl

@Suite("Files for their user alone", .timeLimit(.minutes(10)))
struct PrivateFileTests {
    private let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "private-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "cache").path()
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// Found by an operator: everybody on the machine could read it.
    @Test("a chat makes its cache for its user alone")
    func cache() async throws {
        let tool = try ChildProcess(
            Products.path(of: "syncctl"),
            ["chat", "room", "--cache", path, "--url", "http://127.0.0.1:1"],
            environment: ["USER": "ada"])
        // There is no terminal.
        #expect(try await tool.ended() == 1)
        #expect(try mode(of: path) == 0o600)
    }

    @Test("what SQLite has beside it has the same mode, and a file that is there stays as it is")
    func companions() throws {
        PrivateFile.make(path)
        let store = try SQLiteDeviceStore(path: path)
        try store.setIdentity(DeviceIdentity(userID: "ada", deviceID: "phone"))
        for end in ["", "-wal", "-shm"] { #expect(try mode(of: path + end) == 0o600, "\(end)") }

        let before = try Data(contentsOf: URL(filePath: path))
        PrivateFile.make(path)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        withExtendedLifetime(store) {}
    }
}
