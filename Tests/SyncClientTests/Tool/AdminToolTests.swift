// `syncctl admin`: its words and options are the daemon's table, and answers become tables.

import JSON
import SyncDaemon
import Testing

@testable import syncctl

@Suite struct AdminToolTests {
    private func work(_ arguments: String...) throws -> AdminWork {
        let parser = ArgumentParser(surroundings: Surroundings())
        guard case .run(.admin(let work), _) = try parser.parse(["admin"] + arguments) else {
            throw UsageError(message: "another job")
        }
        return work
    }

    @Test("every command is there, with each of its options")
    func everyCommandThere() throws {
        for command in Program.adminCommands {
            var arguments = ["admin"] + command.words
            for field in command.fields {
                arguments.append(field.option)
                if field.placeholder != nil { arguments.append("1") }
            }
            let parser = ArgumentParser(surroundings: Surroundings())
            guard case .run(.admin(let work), _) = try parser.parse(arguments) else {
                Issue.record("\(command.words) is another job")
                continue
            }
            #expect(work.path == command.path)
            #expect(work.fields.map(\.name) == command.fields.map(\.name))
            #expect(Help.admin.contains("  " + command.words.joined(separator: " ")))
        }
        #expect(Help.admin.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("what is needed may stand without its name")
    func whatNeededMay() throws {
        let backup = try work("backup", "/tmp/x")
        #expect(backup.fields == [AdminField(name: "path", value: "/tmp/x")])
        #expect(backup.isChange)
        let purge = try work("channels", "purge", "room", "--keyset", "k", "--socket", "/s")
        #expect(purge.name == "channels purge")
        #expect(purge.place.socket == "/s")
        #expect(purge.fields.map(\.value) == ["k", "room"])
        let revoke = try work("tokens", "revoke", "-")
        #expect(revoke.fields == [AdminField(name: "token", value: "-", isSecret: true)])
        #expect(try work("sessions", "kick", "--all").fields == [AdminField(name: "all")])
    }

    @Test(
        "anything else is no command",
        arguments: [
            [], ["frobnicate"], ["backup"], ["backup", "/a", "/b"], ["sessions", "kck"],
            ["status", "--limit", "3"], ["log", "set"], ["channels", "purge", "--all"],
        ])
    func anythingElseNo(_ arguments: [String]) {
        #expect(throws: UsageError.self) {
            try ArgumentParser(surroundings: Surroundings()).parse(["admin"] + arguments)
        }
    }

    private func lines(_ json: String) throws -> [String] {
        AdminFormat.lines(of: try JSONValue(parsing: json))
    }

    @Test("lists become tables")
    func listsBecomeTables() throws {
        let json = """
            {"sessions":[{"id":"0-1-2","user":"ada","queuedBytes":0},
            {"id":"1-0-1","queuedBytes":12,"tls":true}],"next":"1:7"}
            """
        #expect(
            try lines(json) == [
                "id     user  queuedBytes  tls", "0-1-2  ada   0            -",
                "1-0-1  -     12           yes", "", "next  1:7",
            ])
        #expect(try lines(#"{"sessions":[]}"#) == ["sessions: none"])
        let many = #"{"webhooks":[{"few":[1,2,3],"dead":[1,2,3,4,5]}]}"#
        #expect(
            try lines(many) == ["few      dead", "1, 2, 3  1, 2, 3, and 2 more: see --json"])
        #expect(try lines(#"{"changed":["a","b"],"ok":false}"#) == ["changed: a, b", "ok  no"])
        #expect(
            try lines(#"{"tenants":[{"keyset":"k","groups":{"held":1,"quota":9,"refused":2}}]}"#)
                == ["keyset  groups", "k       1/9 (2 refused)"])
    }

    @Test("what others wrote steers no terminal")
    func whatOthersWrote() throws {
        let shown = try lines(#"{"sessions":[{"user":"\u001b[2Jx"}]}"#)
        #expect(shown == ["user", #"\u{1b}[2Jx"#])
    }
}
