// How libwebsockets is set up: one context for each reactor, and in it one vhost for raw sockets.

import CWebsockets
import EventModel

/// Bytes that lws reads at most at a time, a little headroom included.
let serviceBufferBytes = 16 * 1024

func makeContext(on loop: EventLoop) -> OpaquePointer? {
    // What lws logs is noise that clients cause at will; what matters comes back as an error code.
    lws_set_log_level(0, nil)
    let loops = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
    unsafe loops.initialize(to: loop.rawLoop)
    let user = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
    unsafe user.initialize(to: nil)

    var info = unsafe sync_lws_info_without_listener()
    unsafe info.options |= sync_lws_option_libuv
    unsafe info.foreign_loops = loops
    unsafe info.user = UnsafeMutableRawPointer(user)
    unsafe info.pt_serv_buf_size = UInt32(serviceBufferBytes)
    return unsafe lws_create_context(&info)
}

/// Where sockets go of which lws only says when they can be read from, and written to.
func makeVhost(in context: OpaquePointer) -> OpaquePointer? {
    // One protocol, and the zero that ends the list; never freed, like the context.
    let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
    unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
    var info = unsafe sync_lws_info_without_listener()
    return unsafe withStaticText("raw") { name in
        unsafe protocols[0].name = name
        unsafe protocols[0].callback = socketCallback
        unsafe info.protocols = UnsafePointer(protocols)
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
