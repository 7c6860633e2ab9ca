// What a server says beside its answers.

import CLibPQ

/// Whether a server warned of something: it does so amid answers, and its words are no answer.
final class PostgresWarnings {
    private var isThere = false

    /// - Parameter connection: Ends before this goes away.
    func listen(to connection: OpaquePointer) {
        let receiver = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe PQsetNoticeReceiver(
            connection,
            { receiver, result in
                guard let receiver = unsafe receiver else { return }
                let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C")))
                // Class 01 is a warning, 00 a notice.
                guard let state = unsafe state, unsafe String(cString: state).hasPrefix("01")
                else { return }
                unsafe Unmanaged<PostgresWarnings>.fromOpaque(receiver).takeUnretainedValue()
                    .isThere = true
            }, receiver)
    }

    /// - Returns: Whether there was one since the last call.
    func take() -> Bool {
        defer { isThere = false }
        return isThere
    }
}
