// Programs of the operator's, and what became of them.

import Testing

@testable import SyncDaemon

@Suite("Child programs")
struct ChildProgramTests {
    private let variables = ["PATH": "/usr/bin:/bin"]

    private func run(_ line: String, while mayGoOn: () -> Bool = { true }) -> ChildOutcome {
        ChildProgram("/bin/sh", in: variables).run(["-c", line, "sh", "a b"], while: mayGoOn)
    }

    @Test(
        "what became of one is told",
        arguments: [
            ("true", ChildOutcome.done), ("exit 7", .failed("it ended with code 7")),
            ("kill -TERM $$", .failed("signal 15 ended it")),
            ("test \"$1\" = 'a b'", .done),
        ])
    func outcomes(line: String, expected: ChildOutcome) {
        #expect(run(line) == expected)
    }

    @Test("one that is not there does not begin")
    func absent() {
        let outcome = ChildProgram("/no/such/program", in: variables).run([]) { true }
        #expect(outcome == .failed("it did not begin: No such file or directory"))
    }

    @Test("it has no variables that are the daemon's own")
    func environment() {
        let program = ChildProgram(
            "/bin/sh",
            in: variables.merging(
                ["B": "2", "NOTIFY_SOCKET": "3", "SYNCDAEMON_STORE_URL": "4"]) { $1 })
        let line = "test \"$B$NOTIFY_SOCKET$SYNCDAEMON_STORE_URL\" = 2"
        #expect(program.run(["-c", line]) { true } == .done)
    }

    @Test(
        "one that nobody wants any more is asked to end, and then ended",
        arguments: ["sleep 1000 & sleep 1000; wait", "trap '' TERM; sleep 1000; sleep 1000"])
    func ended(line: String) {
        var asked = 0
        let outcome = run(line) {
            asked += 1
            return asked < 5
        }
        #expect(outcome == .ended)
        #expect(asked == 5)
    }
}
