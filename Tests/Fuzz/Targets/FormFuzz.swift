// The form that brings a file: its type on the first line, then its bytes.

import Basis

@testable import SyncDaemon

/// However a form is cut, it has the same file or the same fault; and what stands in a part comes
/// out of it as it went in, whatever it looks like.
enum FormFuzz {
    private typealias Outcome = Result<[UInt8], FormReader.Fault>

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var choices = bytes.choices
        let parts = bytes.parts(2)
        let body = parts.count > 1 ? parts[1] : []
        if let form = FormReader(contentType: parts[0].text) {
            let whole = read([body], by: form)
            let cut = read(body.pieces(&choices), by: form)
            try expect(whole == cut, "whole: \(whole); in pieces: \(cut)")
            if case .success(let file) = whole {
                try expect(file.count < body.count, "a form of its file alone")
            }
        }
        try checkContents(bytes, &choices)
    }

    /// Reads the bytes as what a file has.
    private static func checkContents(
        _ bytes: [UInt8], _ choices: inout SeededGenerator
    ) throws(Finding) {
        var number = 0
        while bytes.firstRange(of: Array("\r\n--b\(number)".utf8)) != nil { number += 1 }
        guard let form = FormReader(contentType: "multipart/form-data; boundary=b\(number)") else {
            throw Finding(description: "b\(number) is no boundary")
        }
        let head = "--b\(number)\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n"
        let written = Array(head.utf8) + bytes + Array("\r\n--b\(number)--\r\n".utf8)
        let found = read(written.pieces(&choices), by: form)
        try expect(found == .success(bytes), "\(bytes) came as \(found)")
    }

    private static func read(_ pieces: [[UInt8]], by form: FormReader) -> Outcome {
        var form = form
        var file: [UInt8] = []
        do throws(FormReader.Fault) {
            for piece in pieces { file += try form.read(piece) }
            try form.end()
            return .success(file)
        } catch {
            return .failure(error)
        }
    }
}
