// The only C entry point of the transport. It recovers Swift values from C pointers, calls the
// delegate, and decides nothing that a pure function next door could decide.

import CWebsockets
import EventModel

/// Answers one event of libwebsockets; a non-zero answer closes the connection.
func websocketCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ perSession: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ count: Int
) -> CInt {
    guard let wsi = unsafe wsi, let (transport, connection) = unsafe subject(of: wsi, reason)
    else { return 0 }

    switch reason {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return unsafe confirmUpgrade(of: wsi, connection, in: transport)
    case LWS_CALLBACK_FILTER_HTTP_CONNECTION:
        return unsafe refuseBadFraming(of: wsi) ? -1 : 0
    case LWS_CALLBACK_HTTP:
        // Only requests to our path come this far; this one asked for no upgrade.
        let message = "This is a WebSocket. Connect with ws:// and send hello."
        unsafe send(HTTPResponse.error(426, message).encoded(), to: wsi)
        return -1
    case LWS_CALLBACK_HTTP_BODY:
        return -1  // Nothing that this daemon answers has a body; the answer has been sent.
    case LWS_CALLBACK_ESTABLISHED:
        transport.didOpen(connection)
        transport.sessions.sessionDidOpen(connection.id, query: unsafe query(of: wsi))
        return 0
    case LWS_CALLBACK_RECEIVE_PONG:
        connection.silence?.heard(at: transport.now)
        return 0
    case LWS_CALLBACK_RECEIVE:
        connection.silence?.heard(at: transport.now)
        let piece = unsafe UnsafeRawBufferPointer(start: input, count: count)
        return unsafe receive(piece, from: wsi, connection, in: transport)
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return unsafe becameWritable(wsi, connection, in: transport)
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        // lws does not know that the close frame which this one answers came from here.
        return connection.hasSentClose ? -1 : 0
    case LWS_CALLBACK_CLOSED:
        connection.isSession = false
        transport.sessions.sessionDidClose(connection.id)
        return 0
    default:
        return 0
    }
}

/// Whom an event concerns; `nil` when that is nobody, or when all was done: it was the last one.
func subject(
    of wsi: OpaquePointer, _ reason: lws_callback_reasons
) -> (transport: WebSocketTransport, connection: Connection)? {
    guard let transport = unsafe transport(of: wsi), let slot = unsafe slot(of: wsi) else {
        return nil
    }
    guard reason != LWS_CALLBACK_WSI_DESTROY else {
        transport.release(slot)
        return nil
    }
    guard let connection = transport.connection(at: slot) else { return nil }
    unsafe connection.wsi = wsi
    return (transport, connection)
}

/// The slot that `adopt` gave this connection.
func slot(of wsi: OpaquePointer) -> UInt32? {
    unsafe lws_get_opaque_user_data(wsi).map { UInt32(UInt(bitPattern: $0) - 1) }
}

/// Answers a request whose body has no clear end, and says whether it did.
private func refuseBadFraming(of wsi: OpaquePointer) -> Bool {
    let refusal = RequestRules.refusal(
        contentLength: unsafe header(WSI_TOKEN_HTTP_CONTENT_LENGTH, of: wsi),
        transferEncoding: unsafe header(WSI_TOKEN_HTTP_TRANSFER_ENCODING, of: wsi))
    guard let refusal else { return false }
    unsafe send(refusal.encoded(), to: wsi)
    return true
}

/// Lets `websocket` upgrades to our path pass, and nothing else.
///
/// This lws uses freed memory when a second request on a connection names an unknown `Upgrade:`
/// (CVE-2025-11677). The way out is here: never look at the callback's `in`, and hang up unless the
/// header table still holds the header and says "websocket". That also keeps h2c out.
private func confirmUpgrade(
    of wsi: OpaquePointer, _ connection: Connection, in transport: WebSocketTransport
) -> CInt {
    guard let upgrade = unsafe header(WSI_TOKEN_UPGRADE, of: wsi),
        upgrade.lowercased() == "websocket"
    else { return -1 }
    if unsafe refuseBadFraming(of: wsi) { return -1 }
    guard unsafe header(WSI_TOKEN_GET_URI, of: wsi) == "/v1/sync" else {
        unsafe send(HTTPResponse.error(404, "The WebSocket is at /v1/sync.").encoded(), to: wsi)
        return -1
    }
    let isAllowed = RequestRules.allows(
        origin: unsafe header(WSI_TOKEN_ORIGIN, of: wsi), allowed: transport.settings.allowedOrigins
    )
    guard isAllowed else {
        connection.ends(because: "its Origin is not in allowed_origins")
        let message = "Pages of this Origin may not connect. Add it to allowed_origins."
        unsafe send(HTTPResponse.error(403, message).encoded(), to: wsi)
        return -1
    }
    return 0
}

private func receive(
    _ piece: UnsafeRawBufferPointer, from wsi: OpaquePointer, _ connection: Connection,
    in transport: WebSocketTransport
) -> CInt {
    guard connection.pendingClose == nil else { return 0 }
    transport.didReceive(piece.count, on: connection)
    guard unsafe lws_frame_is_binary(wsi) == 0 else {
        return close(connection, .unsupportedData, "Send text messages, not binary ones.")
    }
    let step = unsafe connection.assembler.add(
        piece, remainingInFragment: Int(clamping: lws_remaining_packet_payload(wsi)),
        isLastPiece: lws_is_final_fragment(wsi) != 0)
    switch step {
    case .incomplete:
        return 0
    case .wholeMessage:
        unsafe transport.sessions.session(connection.id, didReceive: piece.bytes)
    case .complete:
        let message = connection.assembler.take()
        unsafe transport.sessions.session(connection.id, didReceive: message.span.bytes)
    case .refused(let code, let reason):
        return close(connection, code, reason)
    }
    return 0
}

private func becameWritable(
    _ wsi: OpaquePointer, _ connection: Connection, in transport: WebSocketTransport
) -> CInt {
    // Spurious WRITEABLEs do happen: only the end of lws's rest is news.
    guard unsafe lws_partial_buffered(wsi) == 0 else {
        unsafe lws_callback_on_writable(wsi)
        return 0
    }
    if connection.pendingClose != nil {
        transport.sendClose(of: connection)
        return 0
    }
    transport.sendPing(to: connection)
    transport.sessions.sessionCanWrite(connection.id)
    return 0
}

/// Leaves the reason with lws, and answers what makes it close.
private func close(_ connection: Connection, _ code: CloseCode, _ reason: String) -> CInt {
    connection.isEnding = true
    connection.ends(because: "\(code.rawValue) \(reason)")
    var text = Array(code.frame(reason: reason).dropFirst(4))
    let count = text.count
    unsafe text.withUnsafeMutableBufferPointer { buffer in
        unsafe lws_close_reason(
            connection.wsi, lws_close_status(UInt32(code.rawValue)), buffer.baseAddress, count)
    }
    return -1
}

/// Writes a whole HTTP response; it is small enough for an empty socket buffer.
private func send(_ bytes: [UInt8], to wsi: OpaquePointer) {
    var framed = [UInt8](repeating: 0, count: Int(sync_lws_headroom)) + bytes
    unsafe framed.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        _ = unsafe lws_write(
            wsi, start + Int(sync_lws_headroom), bytes.count, LWS_WRITE_HTTP)
    }
}

/// A request header, its repetitions joined; `nil` when it is absent.
private func header(_ token: lws_token_indexes, of wsi: OpaquePointer) -> String? {
    let length = unsafe Int(lws_hdr_total_length(wsi, token))
    guard length > 0 else {
        // An empty header is not an absent one.
        var nothing: CChar = 0
        return unsafe lws_hdr_copy_fragment(wsi, &nothing, 1, token, 0) < 0 ? nil : ""
    }
    let bytes = unsafe [CChar](unsafeUninitializedCapacity: length + 1) { buffer, filled in
        let copied = unsafe lws_hdr_copy(wsi, buffer.baseAddress, Int32(length + 1), token)
        filled = max(0, Int(copied))
    }
    return String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The URL's query as names and values, decoded by lws; of a repeated name the first counts.
///
/// A value that is not UTF-8 becomes an empty one, which no member of a query may be.
private func query(of wsi: OpaquePointer) -> [String: String] {
    var members: [String: String] = [:]
    var buffer = [CChar](repeating: 0, count: 1024)
    for index in 0..<Int32(16) {
        let length = unsafe lws_hdr_copy_fragment(
            wsi, &buffer, Int32(buffer.count), WSI_TOKEN_HTTP_URI_ARGS, index)
        guard length > 0 else { break }
        let pair = buffer.prefix(Int(length)).map { UInt8(bitPattern: $0) }
        let parts = pair.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: parts[0], as: UTF8.self)
        guard members[name] == nil else { continue }
        members[name] = parts.count > 1 ? String(validating: parts[1], as: UTF8.self) ?? "" : ""
    }
    return members
}
