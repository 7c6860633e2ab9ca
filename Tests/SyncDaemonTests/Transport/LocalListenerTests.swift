// The socket of operators in its directory: its mode, what it replaces, and what it leaves.

import Basis
import Glibc
import Testing

@testable import SyncDaemon

@Suite struct LocalListenerTests {
    private let directory: ScratchDirectory

    init() throws { directory = try ScratchDirectory() }

    private var path: String { directory.path + "/admin.sock" }

    private func mode() -> UInt32 {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("it is its owner's alone, and gone with its file")
    func itsOwnerAlone() throws {
        let listener = try LocalListener(path: path)
        let file = listener.file
        let descriptor = listener.release()
        #expect(mode() == 0o600)
        let client = LocalSocket.connect(to: path)
        #expect(client >= 0)
        close(client)
        close(descriptor)
        file.remove()
        #expect(mode() == 0)
    }

    @Test("what a dead one left is replaced, and then is not the dead one's to remove")
    func whatDeadOne() throws {
        let dead = try LocalListener(path: path)
        let file = dead.file
        close(dead.release())
        let living = try LocalListener(path: path)
        #expect(living.file != file)
        file.remove()
        #expect(mode() == 0o600)
        close(living.release())
    }

    @Test("a living one's is not")
    func livingOneNot() throws {
        let descriptor = try LocalListener(path: path).release()
        #expect(throws: TransportError.inUse(path)) {
            close(try LocalListener(path: path).release())
        }
        close(descriptor)
    }

    @Test("nor is what is no socket")
    func norWhatNo() throws {
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: TransportError.notASocket(path)) {
            close(try LocalListener(path: path).release())
        }
        #expect(access(path, F_OK) == 0)
    }

    @Test("a path has room for so many bytes")
    func pathHasRoom() {
        let long = directory.path + "/" + String(repeating: "x", count: 120)
        #expect(throws: TransportError.cannotListenAt(long, errno: ENAMETOOLONG)) {
            close(try LocalListener(path: long).release())
        }
        #expect(throws: TransportError.noGroup("no-such-group")) {
            close(try LocalListener(path: path, group: "no-such-group").release())
        }
    }

    @Test("a peer is named as the kernel saw it")
    func peerNamedAs() throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let peer = try #require(LocalPeer(of: ends[0]))
        #expect(peer.description == "uid \(getuid()) pid \(getpid())")
        for end in ends { close(end) }
    }
}
