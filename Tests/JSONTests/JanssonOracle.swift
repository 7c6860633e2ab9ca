// Jansson as a second opinion: which texts are JSON, and what they say.

import CJansson

/// What Jansson makes of a text.
enum JanssonOracle {
    /// The text as Jansson writes it: compact, members in their order; `nil` when it is no JSON.
    ///
    /// It lets U+0000 through in values. It still refuses that in names, and numbers that neither
    /// 64 bits nor a double hold.
    static func text(_ bytes: [UInt8]) -> String? {
        // It skips a zero byte that follows a number or a word.
        guard !bytes.contains(0) else { return nil }
        var failure = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES) | Int(JSON_DECODE_ANY) | Int(JSON_ALLOW_NUL)
        let parsed = unsafe bytes.withUnsafeBytes { buffer in
            unsafe json_loadb(buffer.baseAddress, buffer.count, flags, &failure)
        }
        guard let parsed = unsafe parsed else { return nil }
        defer { unsafe sync_json_release(parsed) }
        let options = Int(JSON_COMPACT) | Int(JSON_ENCODE_ANY) | Int(JSON_SORT_KEYS) | 17 << 11
        guard let text = unsafe json_dumps(parsed, options) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}
