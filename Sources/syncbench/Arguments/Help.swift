// What `--help` says.

/// The texts of the tool about itself.
enum Help {
    static func text(for subcommand: Subcommand?) -> String {
        guard let subcommand else { return overview }
        if subcommand == .compare { return compare + settings(subcommand) }
        return """
            syncbench \(subcommand.rawValue): \(subcommand.summary)

            Usage: syncbench \(subcommand.rawValue) [OPTIONS]

            \(details(subcommand))

            \(settings(subcommand))\(subcommand.takesServers ? servers : "")\(places)
            """
    }

    private static var overview: String {
        let subcommands = Subcommand.allCases.map {
            "  \(padded($0.rawValue, to: 9)) \($0.summary)"
        }.joined(separator: "\n")
        return """
            syncbench loads servers over WebSocket and says what a delivery costs them.

            Usage: syncbench SUBCOMMAND [OPTIONS]

            \(subcommands)

            syncbench SUBCOMMAND --help says more about each. It starts the servers itself, on free
            ports of this machine, and stops them. `make bench` builds all that it needs.

            Exit codes: 0, 1 it failed or something has become worse, 2 the command line is wrong.

            """
    }

    private static func details(_ subcommand: Subcommand) -> String {
        switch subcommand {
        case .fanout:
            """
            Keeps --window events under way until the time is over, on each server in turn, --rounds
            times. With --burst as large as --window, each batch waits for the end of the last one.
            Reports the server's CPU time and the bytes per delivery, deliveries per second, and the
            time from sending to arrival.
            """
        case .idle:
            """
            Opens connections with one subscription each, and reports by how much the server's
            resident memory grew per connection, and its CPU time while nothing happens.
            """
        case .connect:
            """
            Opens connections, subscribes each to one channel, and waits for the answers of all.
            """
        case .adds:
            """
            Each write adds a reaction to one of the channels, and one connection follows each
            channel. First as fast as it goes, then at half of that rate, on a schedule that does
            not wait for anything. Times count from when the schedule says to send.
            """
        case .slow:
            """
            Publishes to all at a steady rate, first while all of them read, then after --stuck of
            them have stopped. Times are of those that read in both parts. It fails when the stuck
            ones never had more waiting than --queue-bytes: then nothing has been shown.
            """
        case .curve:
            """
            One channel with 10 to 10,000 subscribers, at one and at 50 events in flight; then 1 to
            100,000 channels with ten subscribers each, one event at a time to one of them. The
            marginal cost is what each delivery costs that a row has more than the one before it:
            without what an event costs however many follow, such as being made durable.
            """
        case .storm:
            """
            The devices learn their cursors, go away, miss events, and come back all at once. Four
            connections stay, so that the daemon keeps following the channels. A device is live
            when it has all that it missed.
            """
        case .repair:
            """
            One channel; the daemon forgets at once what was removed. In each round reactions are
            added and removed, half of each, and then two devices come one after the other that were
            away meanwhile, ask, and prove that they are equal. Round trips are the questions of a
            repair; bytes are those of all frames from subscribing on. PubNub's two interfaces read
            all reactions, --rounds times, but at most 3.
            """
        case .return:
            """
            Every device knows its channels' reactions; then all go away, reactions are added and
            removed, the daemon is killed and started again, and all come back with cursor, count
            and digest. A device is equal when every digest of its is the daemon's. With --last
            they hold windows: rest and window come to the digest.
            """
        case .table:
            """
            Measures the daemon, the floor and every peer that is installed, side by side.
            """
        case .compare: ""
        }
    }

    private static func settings(_ subcommand: Subcommand) -> String {
        Setting.allCases.compactMap { setting in
            guard let standard = subcommand.defaults[setting] else { return nil }
            return option("\(setting.flag) N", "\(setting.summary) (default: \(standard))")
        }.joined()
    }

    private static var servers: String {
        option("--server NAME,...", "of: \(ServerKind.names)")
    }

    private static var places: String {
        let usual = Places()
        return option("--daemon FILE", "the daemon ($SYNCDAEMON_BINARY, or \(usual.daemon))")
            + option("--floor FILE", "Benchmarks/floor/floor.c, built (default: \(usual.floor))")
            + option("--peers DIR", "configurations of the peers (default: \(usual.peers))")
            + option("--python FILE", "one that has socketify (default: \(usual.python))")
            + option("--work DIR", "for stores and logs, on a real disk (default: \(usual.work))")
            + option("--json", "write one JSON object per line instead of tables")
            + option("--save FILE", "write them to FILE besides, for compare")
    }

    private static let compare = """
        syncbench compare: two files of --json: has anything become worse?

        Usage: syncbench compare OLD.json NEW.json [OPTIONS]

        Compares the daemon with the floor of the same run: a ratio of CPU times or of rates says
        more than a time on another day. Bytes are compared as they are. What is worse by more than
        the tolerance is a regression and makes the exit code 1; so does a measurement that only the
        old file has.

        """

    private static func option(_ flag: String, _ meaning: String) -> String {
        "  \(padded(flag, to: 18)) \(meaning)\n"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
