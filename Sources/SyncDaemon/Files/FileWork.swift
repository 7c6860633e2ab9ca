// What one thread of files has open, and what it does when it is told to.

import EventModel

/// Uploads and downloads under way; confined to its thread.
struct FileWork: ~Copyable {
    /// A class, so that a dictionary may hold what owns a descriptor.
    private final class Upload {
        let id: FileID
        let file: FileDescriptor
        var form: FormReader
        var size = 0
        /// Bytes of the form that did not come yet, and may need room on the disk.
        var expected: Int

        init(_ id: FileID, _ file: consuming FileDescriptor, _ form: FormReader, length: Int) {
            self.id = id
            self.file = file
            self.form = form
            expected = length
        }
    }

    private final class Download {
        let id: FileID
        let file: FileDescriptor
        var left: Int

        init(_ id: FileID, _ file: consuming FileDescriptor, size: Int) {
            self.id = id
            self.file = file
            left = size
        }
    }

    private var uploads: [Origin: Upload] = [:]
    private var downloads: [Origin: Download] = [:]
    private let directory: FileDirectory
    private let figures: FileFigures
    private let room: FileRoom

    init(
        in directory: consuming FileDirectory, figures: FileFigures = FileFigures(),
        room: FileRoom = FileRoom()
    ) {
        self.directory = directory
        (self.figures, self.room) = (figures, room)
    }

    /// Why no file can be written now; `nil`: it can.
    func look() -> FileError? {
        do throws(FileError) {
            try directory.check()
            return nil
        } catch {
            return error
        }
    }

    /// Those of some files of other sizes than these that are mended by now, or gone.
    func mended(of files: [FileID: Int]) -> [FileID] {
        var mended: [FileID] = []
        for (id, expected) in files where directory.size(ofWhole: id) ?? expected == expected {
            mended.append(id)
        }
        return mended
    }

    /// - Returns: What there is to answer.
    mutating func carryOut(_ order: FileOrder, for origin: Origin) -> FileAnswer.Result? {
        do throws(FileError) {
            switch order {
            case .begin(let id, let form, let length):
                uploads[origin] = try begin(id, form, length)
                return nil
            case .take(let bytes, let isLast): return try take(bytes, isLast, for: origin)
            case .open(let id, let wanted, let size):
                return try open(id, wanted, expected: size, for: origin)
            case .measure(let id, let expected):
                guard let size = directory.size(ofWhole: id) else { throw .absent }
                try directory.check(id, has: size, of: expected)
                return .measured(size)
            case .read:
                // It was removed meanwhile.
                guard let download = downloads[origin] else { throw .absent }
                return try read(on: download, of: nil, for: origin)
            case .end:
                end(origin)
                return nil
            case .remove(let id):
                // Each thread does so: afterwards none has it open, and its room is free.
                if let bytes = directory.remove(id) { figures.changeStored(by: -1, bytes: -bytes) }
                for (origin, download) in downloads where download.id == id {
                    downloads[origin] = nil
                }
                return nil
            }
        } catch {
            end(origin)
            return .failed(error)
        }
    }

    /// What other uploads have announced is as good as written.
    private func begin(
        _ id: FileID, _ form: FormReader, _ length: Int
    ) throws(FileError) -> Upload {
        let others = room.expect(length)
        do throws(FileError) {
            let file = try directory.begin(
                id, ofUpTo: length, keepingFree: Limits.fileReserveBytes + others)
            return Upload(id, file, form, length: length)
        } catch {
            room.expect(-length)
            throw error
        }
    }

    private mutating func take(
        _ bytes: [UInt8], _ isLast: Bool, for origin: Origin
    ) throws(FileError) -> FileAnswer.Result? {
        // It failed before, and was answered.
        guard let upload = uploads[origin] else { return nil }
        do throws(FormReader.Fault) {
            let found = try upload.form.read(bytes)
            do throws(FileError) { try directory.write(found, to: upload.file) } catch {
                end(origin)
                return .failed(error)
            }
            upload.size += found.count
            let brought = min(bytes.count, upload.expected)
            upload.expected -= brought
            room.expect(-brought)
            guard isLast else { return .taken }
            try upload.form.end()
        } catch {
            end(origin)
            return .badForm(error)
        }
        try directory.finish(upload.id, upload.file)
        room.expect(-upload.expected)
        uploads[origin] = nil
        figures.changeStored(by: 1, bytes: upload.size)
        return .stored(size: upload.size)
    }

    private mutating func open(
        _ id: FileID, _ wanted: ByteRange?, expected: Int, for origin: Origin
    ) throws(FileError) -> FileAnswer.Result {
        let file = try directory.open(id)
        let size = try directory.size(of: file)
        try directory.check(id, has: size, of: expected)
        let range = wanted.map { $0.resolved(in: size) } ?? 0..<size
        guard let range else { return .outside(size: size) }
        if range.lowerBound > 0 { try directory.seek(file, to: range.lowerBound) }
        let download = Download(id, file, size: range.count)
        downloads[origin] = download
        return try read(on: download, of: OpenedFile(size: size, range: range), for: origin)
    }

    private mutating func read(
        on download: Download, of file: OpenedFile?, for origin: Origin
    ) throws(FileError) -> FileAnswer.Result {
        let bytes = try directory.read(
            download.file, atMost: min(Limits.fileChunkBytes, download.left))
        download.left -= bytes.count
        // It is shorter than it was: the peer sees that by what it was promised.
        let isLast = download.left == 0 || bytes.isEmpty
        if isLast { downloads[origin] = nil }
        return .part(bytes, of: file, isLast: isLast)
    }

    private mutating func end(_ origin: Origin) {
        downloads[origin] = nil
        guard let upload = uploads.removeValue(forKey: origin) else { return }
        room.expect(-upload.expected)
        directory.discard(upload.id)
    }
}
