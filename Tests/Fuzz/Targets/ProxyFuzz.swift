// What a proxy says before its client's first byte.

@testable import SyncDaemon

/// However it arrives, it is read the same: more bytes change no verdict, and what follows a header
/// is not read as a part of it.
enum ProxyFuzz {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let whole = ProxyHeader.parse(bytes)
        var verdict: ProxyHeader.Progress?
        for count in 0...bytes.count {
            let progress = ProxyHeader.parse([UInt8](bytes.prefix(count)))
            if let verdict {
                guard case .complete = verdict else { continue }
                try expect(progress == verdict, "\(verdict) became \(progress) at \(count)")
            } else if progress != .incomplete {
                verdict = progress
                if case .complete(_, let end) = progress {
                    try expect(end == count, "a header of \(end) bytes ended at \(count)")
                }
            }
        }
        try expect(
            (verdict ?? .incomplete) == whole || isRefused(verdict) && isRefused(whole),
            "\(String(describing: verdict)) in pieces, \(whole) at once")
        guard case .incomplete = whole else { return }
        try expect(bytes.count < 4096, "\(bytes.count) bytes, and no verdict")
    }

    private static func isRefused(_ progress: ProxyHeader.Progress?) -> Bool {
        if case .refused = progress { true } else { false }
    }
}
