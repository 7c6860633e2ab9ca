// Addresses of files: nobody makes one, changes one, or uses one for something else.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Tickets for files")
struct FileTicketTests {
    private let key: FileTicketKey
    private let ticket: FileTicket

    init() throws {
        var generator = SeededGenerator(seed: 1)
        key = FileTicketKey(using: &generator)
        ticket = FileTicket(
            purpose: .upload, expires: 100, channel: Channel("a\"b", keyset: "k"),
            id: .random(using: &generator), name: "ü\\.txt", userID: "u\n1", bytes: 5)
    }

    @Test("what is signed comes back, until its time is over")
    func comesBack() {
        let text = key.text(of: ticket)

        #expect(key.ticket(text, for: .upload, at: 99) == ticket)
        #expect(key.ticket(text, for: .upload, at: 100) == nil)
        #expect(key.ticket(text, for: .download, at: 1) == nil)
        #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") })
    }

    @Test("who was given it comes back, too, without what they showed")
    func holders() throws {
        let id = TokenID(of: [1, 2, 3])
        for holder in [
            FileHolder.anybody, .backend, .token(id, expiry: 9, namesUser: true),
            .token(id, expiry: -9, namesUser: false), .authKey(nil),
            .authKey(AuthKeyID(ExactText("key"))),
        ] {
            #expect(FileHolder(holder.text) == holder)
            var other = ticket
            other.holder = holder
            #expect(key.ticket(key.text(of: other), for: .upload, at: 1) == other)
        }
        for text in ["", "nobody", "anybody 1", "user x 1", "user \(id.text) x", "key 0", "key -1"]
        {
            #expect(FileHolder(text) == nil, "\(text)")
        }
    }

    @Test("no other text is one")
    func others() {
        let text = Array(key.text(of: ticket).utf8)

        for index in text.indices {
            var other = text
            other[index] = other[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(
                key.ticket(String(decoding: other, as: UTF8.self), for: .upload, at: 1) == nil)
            let cut = String(decoding: text[..<index], as: UTF8.self)
            #expect(key.ticket(cut, for: .upload, at: 1) == nil)
        }
        var generator = SeededGenerator(seed: 2)
        let another = FileTicketKey(using: &generator)
        #expect(another.ticket(key.text(of: ticket), for: .upload, at: 1) == nil)
    }

    @Test("an id is 32 digits in five groups, and nothing that leads elsewhere")
    func ids() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<100 {
            let id = FileID.random(using: &generator)
            #expect(FileID(id.text) == id)
        }
        for text in [
            "", "../../etc/passwd", "00000000-0000-0000-0000-00000000000",
            "00000000-0000-0000-0000-0000000000000", "0000000G-0000-0000-0000-000000000000",
            "0000000A-0000-0000-0000-000000000000", "00000000000000000000000000000000",
            "../00000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000\u{301}",
        ] { #expect(FileID(text) == nil, "\(text)") }
    }

    @Test("names are for people: no path, no line")
    func names() {
        for name in ["a", "ü & \"1\".png", "...", "a.b.c", String(repeating: "x", count: 255)] {
            #expect(FileName.isValid(name), "\(name)")
        }
        for name in ["", ".", "..", "a/b", "a\\b", "a\n", "a\r\nb", "\0", "\u{7f}", "\u{85}"] {
            #expect(!FileName.isValid(name), "\(name)")
        }
        #expect(!FileName.isValid(String(repeating: "x", count: 256)))
    }

    @Test("types come of the ends of names")
    func types() throws {
        #expect(FileName.mediaType(of: "a.PNG") == "image/png")
        #expect(FileName.mediaType(of: "png") == "image/png")
        #expect(FileName.mediaType(of: "a.html") == "application/octet-stream")
        let images = try #require(MediaRange("Image/*"))
        #expect(images.fits("image/png") && !images.fits("imagex/png"))
        let text = try #require(MediaRange("text/plain"))
        #expect(text.fits("text/plain; charset=utf-8") && !text.fits("text/plainer"))
        for text in ["*/*", "image", "image/", "/png", "image/p ng", "a/b/c"] {
            #expect(MediaRange(text) == nil, "\(text)")
        }
    }
}
