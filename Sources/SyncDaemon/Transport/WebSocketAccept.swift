// How a server proves that it read a WebSocket's key: with libwebsockets' SHA-1 and base64.

import CWebsockets

/// What `Sec-WebSocket-Accept` says to a key.
///
/// - Source: RFC 6455, section 4.2.2, step 5.4.
func webSocketAccept(of key: String) -> String {
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: 20)
    _ = unsafe lws_SHA1(text, text.count, &digest)
    var encoded = [CChar](repeating: 0, count: 32)
    let count = unsafe digest.withUnsafeBytes { digest in
        unsafe lws_b64_encode_string(
            digest.bindMemory(to: CChar.self).baseAddress, Int32(digest.count), &encoded,
            Int32(encoded.count))
    }
    precondition(count == 28, "Twenty bytes are 28 characters in base64.")
    return String(decoding: encoded.prefix(28).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
