// Turns the C callback of libwebsockets into calls of `SocketConnection`: messages in and out.

#if os(Linux)

import CWebsockets

/// The only C entry point: recovers Swift values from C pointers and decides little.
///
/// - Returns: Not 0 to have lws close the connection.
func socketCallback(
    _ handle: OpaquePointer?, _ reason: lws_callback_reasons,
    _ perSession: UnsafeMutableRawPointer?, _ input: UnsafeMutableRawPointer?, _ count: Int
) -> CInt {
    guard let handle = unsafe handle, let user = unsafe lws_context_user(lws_get_context(handle))
    else { return 0 }
    let loop = unsafe Unmanaged<SocketLoop>.fromOpaque(user).takeUnretainedValue()
    let id = SocketID(rawValue: UInt(bitPattern: unsafe lws_get_opaque_user_data(handle)))
    guard let connection = loop.sockets[id]?.connection else { return 0 }
    let bytes = unsafe UnsafeRawBufferPointer(start: input, count: unsafe input == nil ? 0 : count)

    switch reason {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        loop.sockets[id]?.isOpen = true
        connection.didOpen()
    case LWS_CALLBACK_CLIENT_RECEIVE:
        return unsafe loop.receive(bytes, for: id, on: handle)
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        return unsafe loop.write(connection, to: handle)
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        loop.sockets[id]?.peerClosure = unsafe closure(fromCloseFrame: bytes)
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        let detail = unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        loop.fail(id, detail: detail)
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        // The count says whether OpenSSL is content with this certificate of the chain.
        guard count == 0, let store = unsafe perSession else { break }
        loop.sockets[id]?.certificateError = unsafe X509_STORE_CTX_get_error(OpaquePointer(store))
    case LWS_CALLBACK_CLIENT_CLOSED:
        loop.end(id, reason: "the connection broke")
    case LWS_CALLBACK_WSI_DESTROY:
        // The last word in any case: a handshake that times out or is given up ends without others.
        loop.end(id, reason: "the handshake was not finished")
    default:
        break
    }
    return 0
}

/// Reads a close frame's code and reason.
///
/// lws 4.1.6 turns the codes 1012 to 1014 into 1002 before anyone can see them. All of them mean to
/// come back, so nothing hangs on the difference.
private func closure(fromCloseFrame bytes: UnsafeRawBufferPointer) -> WebSocketClosure {
    guard bytes.count >= 2 else { return WebSocketClosure(reason: "the daemon closed") }
    let code = unsafe UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    return WebSocketClosure(
        code: code, reason: unsafe String(decoding: bytes.dropFirst(2), as: UTF8.self))
}

extension SocketLoop {
    /// Puts a message together from the pieces in which lws hands it over.
    fileprivate func receive(
        _ bytes: UnsafeRawBufferPointer, for id: SocketID, on handle: OpaquePointer
    ) -> CInt {
        guard var socket = sockets.removeValue(forKey: id) else { return -1 }
        defer { sockets[id] = socket }
        if unsafe lws_frame_is_binary(handle) != 0 {
            return unsafe refuse(handle, &socket, code: 1003, reason: "a binary message came")
        }
        unsafe socket.message.append(contentsOf: bytes)
        if socket.message.count > ClientLimits.messageBytesMax {
            return unsafe refuse(handle, &socket, code: 1009, reason: "a message was too large")
        }
        let isLast = unsafe lws_is_final_fragment(handle) != 0
        guard isLast, unsafe lws_remaining_packet_payload(handle) == 0 else { return 0 }

        let message = socket.message
        socket.message = []
        if !socket.connection.didReceive(message) {
            _ = unsafe lws_rx_flow_control(handle, 0)
        }
        return 0
    }

    private func refuse(
        _ handle: OpaquePointer, _ socket: inout Socket, code: UInt32, reason: String
    ) -> CInt {
        socket.peerClosure = WebSocketClosure(reason: reason)
        unsafe lws_close_reason(handle, lws_close_status(rawValue: code), nil, 0)
        return -1
    }

    /// Writes one message.
    ///
    /// lws masks it in place, which is why it is copied into a frame of the loop's own.
    fileprivate func write(_ connection: SocketConnection, to handle: OpaquePointer) -> CInt {
        switch connection.nextOutput() {
        case .nothing:
            return 0
        case .close(let code):
            unsafe lws_close_reason(handle, lws_close_status(rawValue: UInt32(code)), nil, 0)
            return -1
        case .message(let message, let hasMore):
            let headroom = Int(sync_lws_headroom)
            frame.removeSubrange(headroom...)
            frame.append(contentsOf: message)
            let written = unsafe frame.withUnsafeMutableBufferPointer { buffer in
                guard let start = buffer.baseAddress else { return CInt(-1) }
                return unsafe lws_write(handle, start + headroom, message.count, LWS_WRITE_TEXT)
            }
            guard written >= 0 else { return -1 }
            if hasMore { unsafe lws_callback_on_writable(handle) }
            return 0
        }
    }
}

#endif
