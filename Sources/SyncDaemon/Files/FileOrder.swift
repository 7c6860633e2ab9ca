// What reactors have done with files, and what they hear of it.

import EventModel

/// What a thread of files is to do; those of one origin are done in order.
enum FileOrder: Sendable {
    /// Begin to write a file that comes as a form of so many bytes.
    case begin(FileID, FormReader, length: Int)
    /// Take the next bytes of the form.
    case take([UInt8], isLast: Bool)
    /// Begin to read a file.
    case open(FileID)
    /// Read on.
    case read
    /// Nobody waits any more; what is not whole is removed.
    case end
    /// Remove a whole file, and read no more of it for anybody.
    case remove(FileID)
}

/// What came of it.
struct FileAnswer: Sendable {
    enum Result: Sendable {
        /// The bytes are written.
        case taken
        /// The whole file is on the disk.
        case stored(size: Int)
        /// The next bytes of a file; `size` is its whole with the first ones.
        case part([UInt8], size: Int?, isLast: Bool)
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
