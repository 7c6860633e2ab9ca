// Requests to receivers, many at a time on one thread. The only file that uses libcurl.

import CCurl
import EventModel
import Glibc

/// Wakes the thread that waits in ``HTTPSender/wait(atMost:)``; any thread may, also when there is
/// none any more.
final class SenderWaker: Sendable {
    /// Open as long as anybody may wake: so no other file has its number.
    private let descriptor: FileDescriptor

    fileprivate init(owning descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    func wake() {
        // One that is full wakes anyway; and whose other end is closed has nobody to wake.
        var byte: UInt8 = 0
        _ = unsafe send(descriptor.rawValue, &byte, 1, Int32(MSG_NOSIGNAL))
    }
}

/// Sends, and hears what became of it; confined to one thread.
///
/// No redirect is followed: what is signed goes where its owner said, and nowhere else.
@safe final class HTTPSender<Asker: Sendable> {
    private let multi: UnsafeMutableRawPointer
    /// Readable when somebody wrote to its other end.
    private let waking: FileDescriptor
    /// By the addresses of their handles.
    private var transfers: [UInt: (asker: Asker, transfer: Transfer)] = [:]
    private let kept = KeptConnections()
    /// Those that could not even begin.
    private var failed: [(Asker, DeliveryOutcome)] = []

    let waker: SenderWaker

    init() {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let isOpen = unsafe socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0
        precondition(isOpen, "socketpair failed: the process is out of descriptors.")
        waking = FileDescriptor(owning: ends[0])
        waker = SenderWaker(owning: FileDescriptor(owning: ends[1]))
        guard sync_curl_global_init() == CURLE_OK, let multi = unsafe curl_multi_init() else {
            preconditionFailure("libcurl could not start: out of memory.")
        }
        unsafe self.multi = multi
        unsafe sync_curl_keep_connections(multi, Limits.webhookConnectionsKept)
    }

    deinit {
        for (_, transfer) in transfers.values {
            unsafe curl_multi_remove_handle(multi, transfer.handle)
        }
        transfers = [:]
        unsafe curl_multi_cleanup(multi)
    }

    /// Begins a request.
    ///
    /// - Parameter asker: Comes back with what became of it.
    func send(_ request: DeliveryRequest, for asker: Asker) {
        guard let transfer = Transfer(request, kept),
            unsafe curl_multi_add_handle(multi, transfer.handle) == CURLM_OK
        else {
            return failed.append((asker, .failed(reason: "out of memory")))
        }
        transfers[transfer.id] = (asker, transfer)
    }

    /// Waits until something happens or somebody wakes it.
    ///
    /// - Returns: What became of requests.
    func wait(atMost milliseconds: UInt64) -> [(Asker, DeliveryOutcome)] {
        var running: Int32 = 0
        unsafe curl_multi_perform(multi, &running)
        var finished = finished()
        let limit = finished.isEmpty ? Int32(clamping: milliseconds) : 0
        var waking = curl_waitfd(
            fd: self.waking.rawValue, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        unsafe curl_multi_poll(multi, &waking, 1, limit, nil)
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = unsafe read(self.waking.rawValue, &bytes, bytes.count)
        unsafe curl_multi_perform(multi, &running)
        finished += self.finished()
        return finished
    }

    private func finished() -> [(Asker, DeliveryOutcome)] {
        var outcomes = failed
        failed = []
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE,
                let handle = unsafe message.pointee.easy_handle
            else { continue }
            let code = unsafe message.pointee.data.result
            unsafe kept.note(sync_curl_socket(handle), at: sync_curl_local_port(handle))
            unsafe curl_multi_remove_handle(multi, handle)
            let id = UInt(bitPattern: handle)
            guard let (asker, transfer) = transfers.removeValue(forKey: id) else { continue }
            if transfer.goesAnew(), unsafe curl_multi_add_handle(multi, handle) == CURLM_OK {
                transfers[id] = (asker, transfer)
                continue
            }
            outcomes.append((asker, transfer.outcome(code)))
        }
        return outcomes
    }
}

/// What a receiver says beside its status.
private final class AnswerBody {
    /// `nil`: what it says is nobody's concern.
    private let bytesMax: Int?
    private(set) var bytes: [UInt8] = []
    private var count = 0
    /// Whether it said more than anybody wants of what is needed.
    private(set) var isTooLong = false

    var isWanted: Bool { bytesMax != nil }

    init(bytesMax: Int?) { self.bytesMax = bytesMax }

    /// - Returns: Whether there may be more.
    func take(_ part: UnsafeRawBufferPointer) -> Bool {
        count += part.count
        guard let bytesMax else { return count <= Limits.webhookAnswerBytesMax }
        isTooLong = count > bytesMax
        guard !isTooLong else { return false }
        unsafe bytes.append(contentsOf: part)
        return true
    }
}

/// Headers of an answer, line by line.
private final class AnswerHead {
    private var count = 0
    /// Whether the answer's status and headers have come; what comes then are trailers.
    private(set) var isWhole = false

    var isTooLong: Bool { count > Limits.webhookAnswerBytesMax }

    /// - Returns: Whether there may be more.
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
        count += line.count
        // An empty line; one that ends 100 Continue is followed by another head.
        if unsafe line.elementsEqual([0x0D, 0x0A]) || line.elementsEqual([0x0A]) {
            isWhole = true
        } else if unsafe line.starts(with: "HTTP/".utf8) {
            isWhole = false
        }
        return !isTooLong
    }
}

/// CURLOPT_HEADERFUNCTION(3): likewise.
private let takingHead:
    @convention(c) (
        UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?
    ) -> Int = { bytes, size, count, context in
        guard let context = unsafe context else { return 0 }
        let head = unsafe Unmanaged<AnswerHead>.fromOpaque(context).takeUnretainedValue()
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe head.take(line) ? size * count : 0
    }

/// CURLOPT_WRITEFUNCTION(3): fewer bytes than there are end the transfer.
private let taking:
    @convention(c) (
        UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?
    ) -> Int = { bytes, size, count, context in
        guard let context = unsafe context else { return 0 }
        let body = unsafe Unmanaged<AnswerBody>.fromOpaque(context).takeUnretainedValue()
        let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe body.take(part) ? size * count : 0
    }

/// One request on its way; it must have left the multi handle before it goes.
@safe private final class Transfer {
    let handle: UnsafeMutableRawPointer
    private let headers: UnsafeMutablePointer<curl_slist>?
    /// libcurl knows where it is.
    private let body: AnswerBody
    private let head = AnswerHead()
    private let preflight: Preflight

    var id: UInt { unsafe UInt(bitPattern: handle) }

    /// - Returns: `nil` when memory is short.
    init?(_ request: DeliveryRequest, _ kept: KeptConnections) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        var list: UnsafeMutablePointer<curl_slist>?
        // Without the empty one libcurl asks a receiver first whether it takes much.
        for header in request.headers + ["Content-Type: application/json", "Expect:"] {
            unsafe list = curl_slist_append(list, header) ?? list
        }
        let answer = AnswerBody(bytesMax: request.answerBytesMax)
        unsafe (self.handle, headers) = (handle, list)
        (body, preflight) = (answer, Preflight(kept))
        let milliseconds = request.timeoutMilliseconds
        let isSet =
            unsafe sync_curl_set_text(handle, CURLOPT_URL, request.url) == CURLE_OK
            && sync_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK
            && sync_curl_set_text(handle, CURLOPT_PROXY, "") == CURLE_OK
            // libcurl keeps the certificates of the system for the next connection only where no
            // directory of them is named; Debian's file has them all.
            && sync_curl_set_text(handle, CURLOPT_CAPATH, nil) == CURLE_OK
            && sync_curl_set_text(
                handle, CURLOPT_USERAGENT, "SyncDaemon/\(Release.version)") == CURLE_OK
            && sync_curl_set_number(handle, CURLOPT_NOSIGNAL, 1) == CURLE_OK
            && sync_curl_set_number(
                handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1) == CURLE_OK
            && sync_curl_set_number(handle, CURLOPT_TIMEOUT_MS, milliseconds) == CURLE_OK
            && sync_curl_set_headers(handle, list) == CURLE_OK
            && sync_curl_set_reader(
                handle, taking, Unmanaged.passUnretained(answer).toOpaque()) == CURLE_OK
            && sync_curl_set_head_reader(
                handle, takingHead, Unmanaged.passUnretained(head).toOpaque()) == CURLE_OK
            && sync_curl_set_preflight(
                handle, checkingConnection, Unmanaged.passUnretained(preflight).toOpaque())
                == CURLE_OK
        let hasBody = unsafe request.body.withUnsafeBytes { bytes in
            unsafe sync_curl_set_body(
                handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
                == CURLE_OK
        }
        guard isSet, hasBody else { return nil }
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(headers)
    }

    /// Whether it was not sent, because its connection was no good, and goes on one of its own.
    func goesAnew() -> Bool {
        guard preflight.foundAnswer else { return false }
        preflight.foundAnswer = false
        return unsafe sync_curl_set_number(handle, CURLOPT_FRESH_CONNECT, 1) == CURLE_OK
    }

    func outcome(_ code: CURLcode) -> DeliveryOutcome {
        let status = unsafe sync_curl_status(handle)
        // A body that nobody wants may be as long or as broken as it likes.
        guard head.isWhole, status >= 200, code == CURLE_OK || !body.isWanted else {
            return .failed(reason: reason(code))
        }
        let seconds = unsafe sync_curl_retry_after(handle)
        return .answered(
            status: status, retryAfter: seconds > 0 ? seconds : nil, body: body.bytes)
    }

    /// Where libcurl's own words would lead somebody astray, others.
    private func reason(_ code: CURLcode) -> String {
        if head.isTooLong { return "The answer's headers are too long" }
        // A peer that hangs up there is a sound one to libcurl.
        if code == CURLE_OK { return "The answer breaks off in its headers" }
        if body.isTooLong { return "The answer is too long" }
        return switch code {
        // What it says of one line that is too long; where memory is short, nobody gets here.
        case CURLE_OUT_OF_MEMORY: "The answer's headers are too long"
        // Only http:// and https:// come here: it is what answers that speaks something else.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: "What answers speaks no HTTP"
        case CURLE_SSL_CONNECT_ERROR:
            "There is no TLS that both know: should the url begin with http://?"
        case CURLE_PEER_FAILED_VERIFICATION:
            "Its certificate is not trusted, or not of this name: have an authority sign it that"
                + " this machine trusts (update-ca-certificates)"
        default: unsafe String(cString: curl_easy_strerror(code))
        }
    }
}
