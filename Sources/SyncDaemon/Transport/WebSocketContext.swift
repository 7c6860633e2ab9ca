// How libwebsockets is set up: one context for each reactor, and in it one vhost for each door.

import CWebsockets
import EventModel

/// The protocols of a vhost: one, and the zero that ends the list.
///
/// Never freed, like the context.
private func makeProtocols(named name: StaticString) -> UnsafeMutablePointer<lws_protocols> {
    let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
    unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
    unsafe protocols[0].name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    // Memory per WebSocket connection, and the most that lws reads from its socket per turn: 512
    // costs 1.9 KiB a connection where 4096 costs 5.3.
    unsafe protocols[0].rx_buffer_size = WebSocketTransport.readBytes
    // Without it lws cuts writes to `rx_buffer_size`, and copies the rest.
    unsafe protocols[0].tx_packet_size = Limits.writeBytesMax
    return unsafe protocols
}

/// No timers of lws's own for quiet connections: see ``Silence``; never freed, like the context.
private func makeIdlePolicy() -> UnsafePointer<lws_retry_bo_t> {
    let policy = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
    unsafe policy.initialize(to: lws_retry_bo_t())
    return unsafe UnsafePointer(policy)
}

func makeContext(on loop: EventLoop) -> OpaquePointer? {
    // What lws logs is noise that clients cause at will; what matters comes back as an error code.
    lws_set_log_level(0, nil)
    let loops = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
    unsafe loops.initialize(to: loop.rawLoop)
    let user = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
    unsafe user.initialize(to: nil)

    var info = unsafe sync_lws_info_without_listener()
    unsafe info.options |= sync_lws_option_libuv | sync_lws_option_validate_utf8
    unsafe info.foreign_loops = loops
    unsafe info.user = UnsafeMutableRawPointer(user)
    // One block per request in flight, not per connection; PubNub's request lines are up to 33 KiB.
    unsafe info.max_http_header_data2 = UInt32(Limits.requestHeaderBytesMax)
    unsafe info.timeout_secs = UInt32(Limits.requestSeconds)
    unsafe info.pt_serv_buf_size = 16 * 1024
    return unsafe lws_create_context(&info)
}

func makeVhost(in context: OpaquePointer) -> OpaquePointer? {
    var info = unsafe sync_lws_info_without_listener()
    unsafe info.options |= sync_lws_option_validate_utf8
    let protocols = unsafe makeProtocols(named: "sync.v1.json")
    unsafe protocols[0].callback = websocketCallback
    unsafe info.protocols = UnsafePointer(protocols)
    unsafe info.retry_and_idle_policy = makeIdlePolicy()
    unsafe info.keepalive_timeout = Int32(Limits.keepAliveSeconds)
    return unsafe withStaticText("http/1.1") { alpn in
        // No HTTP/2: this lws has no defence against a CONTINUATION flood.
        unsafe info.alpn = alpn
        return unsafe lws_create_vhost(context, &info)
    }
}

/// Where HTTP that lws does not understand goes: bytes in, bytes out.
func makeRawVhost(in context: OpaquePointer) -> OpaquePointer? {
    var info = unsafe sync_lws_info_without_listener()
    let protocols = unsafe makeProtocols(named: "http")
    unsafe protocols[0].callback = httpCallback
    unsafe info.protocols = UnsafePointer(protocols)
    return unsafe withStaticText("http") { name in
        unsafe info.vhost_name = name
        return unsafe lws_create_vhost(context, &info)
    }
}

/// Lends a C string that lives as long as the process.
private func withStaticText<Result>(
    _ text: StaticString, _ body: (UnsafePointer<CChar>) -> Result
) -> Result {
    unsafe body(UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self))
}
