// What reactors have done with files, and what they hear of it.

import EventModel

/// What a thread of files is to do; those of one origin are done in order.
enum FileOrder: Sendable {
    /// Begin to write a file that comes as a form of so many bytes.
    case begin(FileID, FormReader, length: Int)
    /// Take the next bytes of the form.
    case take([UInt8], isLast: Bool)
    /// Begin to read a file, or some of it, if the whole has so many bytes.
    case open(FileID, ByteRange? = nil, size: Int)
    /// Find out whether there is a file of so many bytes.
    case measure(FileID, size: Int)
    /// Read on.
    case read
    /// Nobody waits any more; what is not whole is removed.
    case end
    /// Remove a whole file, and read no more of it for anybody.
    case remove(FileID)
}

/// A file of which something is read.
struct OpenedFile: Hashable, Sendable {
    /// Bytes of the whole.
    let size: Int
    let range: Range<Int>
}

/// What came of it.
struct FileAnswer: Sendable {
    enum Result: Sendable {
        /// The bytes are written.
        case taken
        /// The whole file is on the disk.
        case stored(size: Int)
        /// The next bytes of a file; with the first ones what there is.
        case part([UInt8], of: OpenedFile?, isLast: Bool)
        case measured(Int)
        /// It has not the bytes that were asked for, but so many.
        case outside(size: Int)
        case badForm(FormReader.Fault)
        case failed(FileError)
    }

    let origin: Origin
    let result: Result
}

/// Where answers go.
protocol FileReceiver: Sendable {
    /// Called on a thread of files.
    func deliver(_ answer: FileAnswer)
}
