// Lines of shell, and what became of them.

import Testing

@testable import SyncDaemon

@Suite("Shell commands")
struct ShellCommandTests {
    private let path = ["PATH": "/usr/bin:/bin"]

    @Test(
        "what became of a line is told",
        arguments: [
            ("true", ShellOutcome.done), ("exit 7", .failed("it ended with code 7")),
            ("kill -TERM $$", .failed("signal 15 ended it")),
            ("/no/such/program 2> /dev/null", .failed("it ended with code 127")),
        ])
    func outcomes(line: String, expected: ShellOutcome) {
        #expect(ShellCommand(line, in: path).run(with: [:]) { true } == expected)
    }

    @Test("it has the variables of the call, and none that are the daemon's own")
    func variables() {
        let command = ShellCommand(
            "test \"$A$B$NOTIFY_SOCKET$SYNCDAEMON_STORE_URL\" = 12",
            in: path.merging(
                ["B": "2", "NOTIFY_SOCKET": "3", "SYNCDAEMON_STORE_URL": "4"]) { $1 })
        #expect(command.run(with: ["A": "1"]) { true } == .done)
    }

    @Test("one that nobody wants any more ends with what it began")
    func ended() {
        let command = ShellCommand("sleep 1000 & sleep 1000; wait", in: path)
        var asked = 0
        let outcome = command.run(with: [:]) {
            asked += 1
            return asked < 5
        }
        #expect(outcome == .ended)
        #expect(asked == 5)
    }
}
