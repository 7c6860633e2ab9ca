// A server that takes connections and says nothing.

import Glibc

/// A port where connections are taken and nothing is said.
final class SilentServer {
    private let descriptor: Int32
    let port: UInt16

    init() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // To any port, on every address.
        precondition(listen(descriptor, 8) == 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        precondition(status == 0)
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
