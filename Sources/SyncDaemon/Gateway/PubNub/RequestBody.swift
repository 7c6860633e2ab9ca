// A request's body without its compression, whatever its headers say about that.

import EventModel
import JSON

/// Recognises how a body is compressed.
enum RequestBody {
    /// The body as it was before it was compressed, if it was.
    ///
    /// The SDKs' `Content-Encoding` lies: the one for Python says gzip and the one for JavaScript
    /// deflate, and both send zlib. So the first bytes decide, of which none begins a JSON text.
    /// Deflate without a header has no such bytes: it is tried on what is not JSON.
    ///
    /// - Parameter limit: Bytes that the result may have; inflating ends there.
    static func inflated(
        _ body: [UInt8], limit: Int
    ) -> Result<[UInt8], InflateStream.Failure> {
        do throws(InflateStream.Failure) {
            if body.starts(with: [0x1F, 0x8B]) {
                return .success(try InflateStream(.gzip).inflated(body, limit: limit))
            }
            // RFC 1950, section 2.2: the two bytes are a multiple of 31.
            if body.count > 2, body[0] == 0x78, (0x7800 + Int(body[1])) % 31 == 0 {
                return .success(try InflateStream(.zlib).inflated(body, limit: limit))
            }
            guard body.count <= limit else { throw .tooLarge }
            return .success(try inflatedUnlessJSON(body, limit: limit))
        } catch {
            return .failure(error)
        }
    }

    private static func inflatedUnlessJSON(
        _ body: [UInt8], limit: Int
    ) throws(InflateStream.Failure) -> [UInt8] {
        do throws(JSONError) {
            _ = try unsafe JSONValue(parsing: body.span.bytes, depthMax: Limits.jsonDepthMax)
            return body
        } catch {}
        do throws(InflateStream.Failure) {
            return try InflateStream(.raw).inflated(body, limit: limit)
        } catch {
            if error == .tooLarge { throw error }
            return body
        }
    }
}
