// Owns one of zlib's decompressors.

import CZlib

/// A decompressor, released exactly once, when its scope ends.
@safe struct InflateStream: ~Copyable {
    /// What the bytes begin with.
    enum Format: Sendable, Hashable {
        case gzip, zlib, raw

        /// - Source: zlib.h, inflateInit2: 15 is the largest window, 16 more means gzip, below
        ///   zero no header.
        fileprivate var windowBits: Int32 {
            switch self {
            case .gzip: 15 + 16
            case .zlib: 15
            case .raw: -15
            }
        }
    }

    enum Failure: Error, Hashable {
        /// More comes out than is wanted.
        case tooLarge
        /// Not in the format, cut off, or followed by something else.
        case malformed
    }

    /// On the heap: zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ format: Format) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let status = unsafe sync_inflate_begin(stream, format.windowBits)
        precondition(status == Z_OK, "zlib could not start: out of memory, or of another version.")
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decompresses one whole stream.
    ///
    /// It never writes more than `limit` and one chunk, whatever the input would become.
    consuming func inflated(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        var input = bytes
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        let stream = unsafe stream
        let isWhole = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe chunk.withUnsafeMutableBufferPointer { chunk in
                unsafe stream.pointee.next_in = input.baseAddress
                unsafe stream.pointee.avail_in = UInt32(input.count)
                var status = Z_OK
                while status == Z_OK, output.count <= limit {
                    unsafe stream.pointee.next_out = chunk.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(chunk.count)
                    status = unsafe inflate(stream, Z_NO_FLUSH)
                    let count = unsafe chunk.count - Int(stream.pointee.avail_out)
                    unsafe output.append(contentsOf: chunk[..<count])
                }
                return unsafe status == Z_STREAM_END && stream.pointee.avail_in == 0
            }
        }
        guard output.count <= limit else { throw .tooLarge }
        guard isWhole else { throw .malformed }
        return output
    }
}
