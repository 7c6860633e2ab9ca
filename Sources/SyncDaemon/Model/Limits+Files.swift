// The bounds of files: how large they are, how many come and go at a time, for how long.

import EventModel

extension Limits {
    /// Bytes of a file's name; over it: status 400.
    static let fileNameBytesMax = 255
    /// Bytes of a file, whatever `max_file_bytes` says; over it: the daemon does not start.
    static let fileBytesMax = 512 * 1024 * 1024
    /// Bytes of an upload besides its file: the other fields of the form, and what parts them; over
    /// it: status 400.
    static let formBytesMax = 64 * 1024
    /// Bytes of the head of one part of a form; over it: status 400.
    static let formHeadBytesMax = 4096
    /// Bytes of a form's boundary; over it: status 400.
    static let formBoundaryBytesMax = 200
    /// Uploads under way at a time; over it: status 503.
    ///
    /// A tenant has no more than are still free.
    static let uploadsMax = 64
    /// Of one user, or of one address where nobody proves who it is; over it: status 503.
    static let uploadsPerPeerMax = 8
    /// Downloads under way at a time; over it: status 503.
    ///
    /// A tenant has no more than are still free.
    static let downloadsMax = 1024
    /// Of one user or address, likewise; over it: status 503.
    static let downloadsPerPeerMax = 64
    /// Seconds for which a file may rest on its way; over it: the connection is closed.
    static let fileIdleSeconds = 15
    /// Seconds after each of which a file has to have moved on by so many times
    /// `slowestBytesPerSecond`; else: the connection is closed.
    static let filePaceSeconds = 30
    /// Addresses of uploads of which it is known that they were used; over it: those are refused
    /// that end first.
    static let usedUploadsMax = 65_536
    /// Bytes that go to the disk, or come from it, at a time.
    static let fileChunkBytes = 64 * 1024
    /// Bytes that uploads leave free on the disk, for the database; under it: status 507.
    static let fileReserveBytes = 256 * 1024 * 1024
    /// Files that are known not to have the size that they should; further ones are not served
    /// either, and only told of when others are mended.
    static let wrongFilesKnownMax = 1000
    /// Seconds for which contents are kept of which the database does not know: 30 days; then a
    /// start removes them.
    static let unknownFileSeconds: Int64 = 30 * 24 * 3600
    /// Threads that read and write files.
    static let fileThreads = 2
    /// Orders to one of them that wait; over it: status 503.
    static let fileOrdersMax = 65_536
    /// Seconds for which the address of an upload is good.
    static let uploadSeconds = 600
    /// Seconds for which the address of a download is good.
    static let downloadSeconds = 3600
    /// Files in one list.
    static let filesPageMax = 100
    /// Files that one `channels purge` removes; over it: its answer says that there are more.
    static let filesPurgedMax = 1000
    /// Media types of one list of what files may be; over it: the daemon does not start.
    static let fileTypesMax = 64
}
