// What `--help` says of `stats` and `top`.

extension Help {
    static var stats: String {
        """
        Shows what a running daemon does, at its socket on this machine.

        Usage: syncctl stats [--watch] [OPTIONS]

          --watch              a row for each interval, until Ctrl-C
          --interval SECONDS   how long one is (default: 1)
          --count N            with --watch: stop after N rows
          --socket PATH        the daemon's [server] admin_socket (default:
                               /run/syncdaemon/admin.sock, or that of your own daemon)
          --data-dir DIR       the daemon's data, where its socket is without systemd
          --json               write one JSON object per interval
          --help, --version

        Without --watch: the figures of one interval, one in a line, with what they are:

        \(figures)

        A dash stands for what did not happen. k, M and G are thousands.

        """
    }

    private static var figures: String { said(of: StatsColumn.all) }

    private static func said(of columns: [StatsColumn]) -> String {
        columns.map { column in
            "  " + column.title.padded(to: 8) + column.summary
        }.joined(separator: "\n")
    }

    static var top: String {
        """
        Shows a running daemon on the whole screen, anew each second: what it does, what
        it has, its tenants and its sessions.

        Usage: syncctl top [OPTIONS]

          --interval SECONDS   how often (default: 1)
          --socket PATH        the daemon's [server] admin_socket (default:
                               /run/syncdaemon/admin.sock, or that of your own daemon)
          --data-dir DIR       the daemon's data, where its socket is without systemd
          --help, --version

        Keys: q leaves, s sorts sessions by what waits for them, by how much they
        follow, or by age; p holds the screen and goes on.
        Of a daemon with many sessions the first 1,000 are looked at.

        Its first row is that of stats, see syncctl stats --help. The second one:

        \(said(of: StatsColumn.stored))

        """
    }
}
