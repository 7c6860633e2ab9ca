// What --help prints. The flags come from the table of settings.

enum HelpText {
    static let main = """
        syncdaemon \(Invocation.version): realtime messages and reactions, the same on every device

        Usage:
          syncdaemon serve [FLAGS]           start the daemon
          syncdaemon config check [FLAGS]    check the configuration and say whether it is good
          syncdaemon config print [FLAGS]    print the configuration that serve would use
          syncdaemon --version
          syncdaemon --help                  this text; "syncdaemon serve --help" lists the flags

        Example:
          syncdaemon serve --listen 127.0.0.1:8080 --data-dir ./data

        """

    static let serve = """
        Usage: syncdaemon serve [FLAGS]

        Starts the daemon and stays in the foreground. When it is ready it prints
        "syncdaemon: listening on http://HOST:PORT" on standard output; logs go to standard error.

        \(flags)
        Every flag is also a key of the configuration file and a variable, shown in brackets. A
        flag beats a variable, a variable beats the file, the file beats the default.

        Keysets, which are tenants, stand in the file only: one section [keyset NAME] for each,
        without flags and variables. "config print" shows their keys.

        Files:
          --config FILE              sections and "name = value" lines; see "config print"
          DIR/syncdaemon.db          the data, with --data-dir DIR; back it up, also while the
                                     daemon runs: sqlite3 DIR/syncdaemon.db "VACUUM INTO 'COPY'"

        Signals:
          SIGTERM, SIGINT            drain: take no more connections, finish what is begun, send
                                     clients away with code 1001, exit within 10 seconds

        Exit codes:
          0  stopped after a clean drain
          1  failed while running; the last log line says why
          2  the command line or the configuration is wrong; the message says where and how to
             mend it

        Example:
          syncdaemon serve --listen 127.0.0.1:8080 --data-dir ./data

        """

    static let configuration = """
        Usage: syncdaemon config check [FLAGS]
               syncdaemon config print [FLAGS]

        Both take the flags of "syncdaemon serve" and read the same variables and file.
        check exits with 0 and says so when all is well, and with 2 and the first mistake when not.
        print writes every setting, with its meaning and where it came from, as a file that
        "serve --config" reads. A secret_key is shown as ***: put it back before you use the file.

        Example:
          syncdaemon config check --config /etc/syncdaemon/syncdaemon.ini

        """

    /// One paragraph per flag: name, meaning, default, key and variable.
    private static var flags: String {
        var lines = [
            "Flags:", "  --config FILE",
            "      Read settings from FILE (SYNCDAEMON_CONFIG). With a - before the path the file"
                + " may be",
            "      absent.",
        ]
        for section in ConfigurationKey.sections {
            lines += ["", "Flags of section [\(section)]:"]
            for key in ConfigurationKey.all where key.section == section {
                lines.append("  \(key.flag)" + (key.placeholder.map { " \($0)" } ?? ""))
                let standard = key.standard.isEmpty ? "none" : key.standard
                lines += TextLayout.wrap("\(key.summary) Default: \(standard).", width: 90)
                    .map { "      \($0)" }
                lines.append("      [\(key.name), \(key.variable)]")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
