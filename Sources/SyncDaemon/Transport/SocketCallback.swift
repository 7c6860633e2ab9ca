// The only C entry point of the transport: makes Swift values of C pointers, and hands them over.

import CWebsockets

/// Answers one event of a raw socket; a non-zero answer closes it.
func socketCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ perSession: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ count: Int
) -> CInt {
    guard let wsi = unsafe wsi, let (transport, connection) = unsafe subject(of: wsi, reason)
    else { return 0 }

    switch reason {
    case LWS_CALLBACK_RAW_RX:
        // lws's own buffer, of which it does not look at a byte: payload is unmasked in it.
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: input, count: count)
        let elements = unsafe buffer.bindMemory(to: UInt8.self)
        var bytes = unsafe elements.mutableSpan
        return transport.received(&bytes, on: connection) ? 0 : -1
    case LWS_CALLBACK_RAW_WRITEABLE:
        transport.canWrite(connection)
    case LWS_CALLBACK_RAW_CLOSE:
        transport.didClose(connection)
    default:
        break
    }
    return 0
}

/// Whom an event concerns; `nil` when that is nobody, or when all was done: it was the last one.
private func subject(
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
private func slot(of wsi: OpaquePointer) -> UInt32? {
    unsafe lws_get_opaque_user_data(wsi).map { UInt32(UInt(bitPattern: $0) - 1) }
}
