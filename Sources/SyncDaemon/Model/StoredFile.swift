// A file of a channel: what is known of it besides its contents.

import EventModel

/// Names a file; made by the daemon, and the only part of a file's name on the disk.
struct FileID: Hashable, Sendable {
    /// 32 hexadecimal digits in five groups, small letters.
    let text: String

    private static let groups = [8, 4, 4, 4, 12]

    /// `nil` for whatever else a client may have written.
    init?(_ text: some StringProtocol) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == Self.groups,
            groups.joined().allSatisfy({ Self.digits.contains($0) })
        else { return nil }
        self.text = String(text)
    }

    /// - Source: RFC 9562, version 4.
    static func random(using generator: inout some RandomNumberGenerator) -> FileID {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        guard let id = FileID(String(decoding: text, as: UTF8.self)) else {
            preconditionFailure("A new id of a file is none.")
        }
        return id
    }

    private static let digits = Array("0123456789abcdef".utf8)
}

/// A file that is there.
struct StoredFile: Hashable, Sendable {
    var channel: Channel
    var id: FileID
    var name: String
    var size: Int
    /// Who brought it.
    var userID: String
    /// When; the place of its row among those of its channel.
    var created = Timetoken.zero

    var entry: FileEntry { FileEntry(id: id.text, name: name, size: size, created: created) }
}

/// Some files of a channel.
struct FilePage: Hashable, Sendable {
    /// Ascending by when they came.
    var files: [StoredFile]
    /// From where to go on; `nil` at the end.
    var next: Timetoken?
}

/// What a file's name says of it.
enum FileName {
    /// Whether a file may be called so.
    static func isValid(_ name: String) -> Bool {
        (1...Limits.fileNameBytesMax).contains(name.utf8.count)
            && !name.unicodeScalars.contains { $0.value < 0x20 || $0 == "/" || $0 == "\\" }
            && !name.unicodeScalars.contains { (0x7f...0x9f).contains($0.value) }
            && name != "." && name != ".."
    }

    /// The media type that goes with the name.
    static func mediaType(of name: String) -> String {
        let ending = name.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
        return mediaTypes[ending.lowercased()] ?? "application/octet-stream"
    }

    private static let mediaTypes = [
        "txt": "text/plain; charset=utf-8", "log": "text/plain; charset=utf-8",
        "md": "text/markdown; charset=utf-8", "vcf": "text/vcard; charset=utf-8",
        "ics": "text/calendar; charset=utf-8", "rtf": "application/rtf",
        "csv": "text/csv; charset=utf-8",
        "json": "application/json", "pdf": "application/pdf", "zip": "application/zip",
        "gz": "application/gzip", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "heic": "image/heic",
        "heif": "image/heif", "tif": "image/tiff", "tiff": "image/tiff", "svg": "image/svg+xml",
        "ico": "image/vnd.microsoft.icon", "jxl": "image/jxl", "flac": "audio/flac",
        "oga": "audio/ogg", "weba": "audio/webm", "amr": "audio/amr", "ogv": "video/ogg",
        "m4v": "video/mp4", "3gp": "video/3gpp", "avi": "video/vnd.avi", "mpg": "video/mpeg",
        "mpeg": "video/mpeg", "xml": "application/xml", "tar": "application/x-tar",
        "7z": "application/x-7z-compressed", "rar": "application/vnd.rar",
        "bz2": "application/x-bzip2", "zst": "application/zstd", "epub": "application/epub+zip",
        "odt": "application/vnd.oasis.opendocument.text",
        "ods": "application/vnd.oasis.opendocument.spreadsheet",
        "odp": "application/vnd.oasis.opendocument.presentation",
        "apk": "application/vnd.android.package-archive", "ppt": "application/vnd.ms-powerpoint",
        "bmp": "image/bmp", "mp3": "audio/mpeg", "m4a": "audio/mp4", "ogg": "audio/ogg",
        "opus": "audio/opus", "wav": "audio/wav", "aac": "audio/aac", "mp4": "video/mp4",
        "mov": "video/quicktime", "webm": "video/webm", "mkv": "video/matroska",
        "doc": "application/msword", "xls": "application/vnd.ms-excel",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ]
}

/// Media types that a channel's files may have: a whole one, or `image/*`.
struct MediaRange: Hashable, Sendable {
    let text: String

    init?(_ text: String) {
        let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] != "*",
            parts.allSatisfy({ part in
                !part.isEmpty && (part == "*" || part.utf8.allSatisfy(Self.isTokenByte))
            })
        else { return nil }
        self.text = text.lowercased()
    }

    func fits(_ mediaType: String) -> Bool {
        let type = mediaType.prefix { $0 != ";" }
        return text.hasSuffix("/*") ? type.hasPrefix(text.dropLast()) : type == text
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-.+".utf8.contains(byte)
    }
}
