// What people type as a reaction, in one form; everything else stays as it is.

import EventModel
import Foundation
import Testing

@Suite("ReactionValue")
struct ReactionValueTests {
    private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    @Test(
        "one emoji has one form, whatever the keyboard",
        arguments: [
            ("❤", "❤\u{FE0F}"), ("❤\u{FE0F}", "❤\u{FE0F}"), ("👍 ", "👍"), ("\u{3000}👍\n", "👍"),
            ("👍\u{FE0F}", "👍"), ("⚽\u{FE0F}", "⚽"), ("☝🏽", "☝🏽"),
            ("\u{261D}\u{FE0F}\u{1F3FD}", "\u{261D}\u{1F3FD}"),
            ("👁\u{200D}🗨", "👁\u{FE0F}\u{200D}🗨\u{FE0F}"),
            ("1\u{20E3}", "1\u{FE0F}\u{20E3}"), ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
            ("👩\u{200D}❤\u{200D}👩", "👩\u{200D}❤\u{FE0F}\u{200D}👩"), ("🇩🇪", "🇩🇪"),
        ])
    func forms(typed: String, form: String) {
        #expect(scalars(ReactionValue.canonical(typed)) == scalars(form))
        #expect(scalars(ReactionValue.canonical(form)) == scalars(form))
    }

    private static let list = "/usr/share/unicode/emoji/emoji-test.txt"

    @Test(
        "every emoji of Unicode's own list gets its fully qualified form",
        .enabled(
            if: FileManager.default.fileExists(atPath: ReactionValueTests.list),
            "Debian's unicode-data is missing"))
    func all() throws {
        var full = ""
        var count = 0
        for line in try String(contentsOfFile: Self.list, encoding: .utf8).split(separator: "\n")
        where !line.hasPrefix("#") {
            let parts = line.split(separator: ";")
            let status = parts[1].split(separator: " ")[0]
            guard status != "component" else { continue }
            var text = String.UnicodeScalarView()
            for code in parts[0].split(separator: " ") {
                let number = try #require(UInt32(code, radix: 16))
                text.append(try #require(Unicode.Scalar(number)))
            }
            if status == "fully-qualified" { full = String(text) }
            #expect(scalars(ReactionValue.canonical(String(text))) == scalars(full), "\(line)")
            #expect(ReactionValue.isEmoji(full), "\(line)")
            count += 1
        }
        #expect(count > 4000)
    }

    @Test(
        "what is in no list of Unicode's is no emoji",
        arguments: [
            "", "a", "1", "#", "love", "👍👍", "👍a", " 👍", "🐶🏽", "\u{1F3FD}", "\u{FE0F}", "\u{200D}",
            "👍\u{200D}👍", "🇦🇦", "🇩", "\u{1F44D}\u{301}",
            "👍🏻🏽", "👶🏻🏿", "🏃🏻🏽\u{200D}♀\u{FE0F}", "🤝🏻🏽", "👍" + String(repeating: "🏽", count: 4000),
        ])
    func noEmoji(text: String) {
        #expect(!ReactionValue.isEmoji(text))
    }

    @Test(
        "the list is that of the installed Unicode data, and no older",
        .enabled(
            if: FileManager.default.fileExists(atPath: ReactionValueTests.list),
            "Debian's unicode-data is missing"))
    func version() throws {
        let text = try String(contentsOfFile: Self.list, encoding: .utf8)
        #expect(text.contains("\n# Version: 15.0\n"), "Run Tools/generate-emoji.")
    }

    @Test(
        "what is not one emoji is only trimmed",
        arguments: [
            "1", "#", "*", "ok", "+1", "❤ you", "❤❤", "❤\u{FE0E}", "é", "e\u{301}", "1\u{FE0F}",
            "\u{0}", "",
        ])
    func untouched(text: String) {
        #expect(scalars(ReactionValue.canonical(text)) == scalars(text))
        #expect(scalars(ReactionValue.canonical(" \(text)\t")) == scalars(text))
    }
}
