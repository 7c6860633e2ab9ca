// What --help prints. The flags come from the table of settings.

import EventModel

enum HelpText {
    static let main = """
        syncdaemon \(Release.version): realtime messages and reactions, the same on every device

        Usage:
          syncdaemon serve [FLAGS]           start the daemon
          syncdaemon config check [FLAGS]    check the configuration and say whether it is good;
                                             with --public, whether it may face the internet
          syncdaemon config print [FLAGS]    print the configuration that serve would use
          syncdaemon backup [FLAGS] FILE     copy the data to a new file, also while it is served
          syncdaemon salvage [FLAGS] FILE    save what can be read of damaged data in a new file
          syncdaemon restore [FLAGS] FILE    put a copy in the place of the data; or what an archive
                                             had at a moment
          syncdaemon verify FILE             say whether a copy, or an archive, can be relied upon
          syncdaemon store copy --from PLACE --to PLACE
                                             take the data to PostgreSQL, or back
          syncdaemon plan [FLAGS]            say what so many users need of disk, memory, processor
                                             and network
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
        without flags and variables. So do namespaces, which say for some channels what a keyset
        says for all: sections [namespace NAME], webhooks: sections [webhook NAME], and
        interceptors: sections [interceptor NAME]. "config print" shows their keys.

        Files:
          --config FILE              sections and "name = value" lines; see "config print"
          DIR/syncdaemon.db          the data, with --data-dir DIR; see "syncdaemon backup --help"

        Signals:
          SIGTERM, SIGINT, SIGQUIT   drain: take no more connections, finish what is begun, send
                                     clients away with code 1001, exit within 10 seconds
          SIGHUP                     read the configuration again: log level, limits, origins,
                                     keysets, namespaces, webhooks and interceptors change,
                                     nobody is disconnected
          SIGUSR1, SIGUSR2           leave a line in the log, and nothing else

        Exit codes:
          0  stopped after a clean drain
          1  failed while running, or could not finish its drain; the last log line says why
          2  the command line or the configuration is wrong; the message says where and how to
             mend it

        Example:
          syncdaemon serve --listen 127.0.0.1:8080 --data-dir ./data

        """

    static let configuration = """
        Usage: syncdaemon config check [--public] [--connect] [FLAGS]
               syncdaemon config print [FLAGS]

        Both take the flags of "syncdaemon serve" and read the same variables and file.
        check exits with 0 and says so when all is well, and with 2 and every mistake when not. It
        also looks at the directory, the address and the files of secrets, and changes nothing. For
        the systemd unit, set STATE_DIRECTORY as systemd does, and CREDENTIALS_DIRECTORY to a
        directory with what LoadCredential= passes on: see the example.
        print writes every setting, with its meaning and where it came from, as a file that
        "serve --config" reads. A secret_key is shown as ***: put it back before you use the file.

        With --connect check also asks the database server ([store] kind = postgres): whether it
        lets the daemon in and takes writes, has the standby that require_standby wants, and who
        serves there now. A daemon in reserve has no port that could be asked.

        With --public check also says whether strangers may connect: each thing that is missing on
        a line with its place and what to do, and at the end "ready to face the internet" or how
        many things are missing (then it exits with 2). What it asks for:

        \(publicRules)
        docs/OPERATIONS.md, "Facing the internet", leads there step by step.

        Example:
          STATE_DIRECTORY=/var/lib/syncdaemon syncdaemon config check \\
            --config /etc/syncdaemon/syncdaemon.ini
          STATE_DIRECTORY=/var/lib/syncdaemon \\
            CREDENTIALS_DIRECTORY=/etc/syncdaemon/credentials \\
            syncdaemon config check --public --config /etc/syncdaemon/syncdaemon.ini

        """

    /// One line, or a few, per rule of the public check.
    private static var publicRules: String {
        PublicRule.all.map { rule in
            let name = rule.name.padding(to: 12)
            return TextLayout.wrap(rule.demand.replacing("`", with: ""), width: 76)
                .enumerated().map { "  \($0 == 0 ? name : "".padding(to: 12)) \($1)\n" }.joined()
        }.joined()
    }

    static let backup = """
        Usage: syncdaemon backup [FLAGS] FILE

        Copies the data to FILE, which must not exist, as one consistent state: also while the
        daemon serves it, and without stopping it. The copy is checked before it gets its name,
        belongs to who runs the command, and nobody else can read it.

        Flags are those of "syncdaemon serve"; --data-dir DIR says where the data is, which is
        /var/lib/syncdaemon with the systemd unit. While it copies the write-ahead log cannot
        shrink: choose an hour in which little is written. A memory store cannot be copied.

        Exit codes:
          0  FILE is complete and on the disk
          1  it failed, and the message says why; there is no FILE
          2  the command line or the configuration is wrong

        Example:
          syncdaemon backup --data-dir /var/lib/syncdaemon /var/backups/syncdaemon.db

        """

    static let salvage = """
        Usage: syncdaemon salvage [FLAGS] FILE

        Copies what can be read of damaged data to FILE, which must not exist: row by row, around
        pages that cannot be read and rows whose checksum is wrong. It says how many rows it saved
        and how many are lost, as far as the damaged file knows of them. No daemon may run on the
        directory; the damaged file stays as it is. FILE is sound, belongs to who runs the command,
        and is put in place with "syncdaemon restore". Every device gets a snapshot afterwards.

        Flags are those of "syncdaemon serve"; --data-dir DIR says where the data is, which is
        /var/lib/syncdaemon with the systemd unit.

        Exit codes:
          0  FILE is complete and on the disk, whatever was lost
          1  it failed, and the message says why; there is no FILE
          2  the command line or the configuration is wrong

        Example:
          systemctl stop syncdaemon.socket syncdaemon.service
          syncdaemon salvage --data-dir /var/lib/syncdaemon /var/backups/saved.db
          syncdaemon restore --data-dir /var/lib/syncdaemon /var/backups/saved.db
          systemctl start syncdaemon.socket syncdaemon.service

        """

    static let restore = """
        Usage: syncdaemon restore [FLAGS] FILE
               syncdaemon restore [FLAGS] [--at MOMENT] ARCHIVE

        Puts the data of FILE, a backup, in the place of what is in the data directory. No daemon
        may run on that directory: stop it first, and its socket with it. FILE is checked, and
        stays as it is. What was in the directory is kept beside it as syncdaemon.db.replaced. The
        new data gets the directory's owner and mode 0600.

        ARCHIVE is what [archive] directory names. Of it comes what was there at MOMENT, such as
        2026-11-30T09:30:00Z or a timetoken: every write that was acknowledged before, and nothing
        later. Without --at it is the newest that is there. It says up to when.

        Flags are those of "syncdaemon serve"; --data-dir DIR says where the data is. Devices that
        have seen what came after the backup are recognised when they connect, and made equal.

        Exit codes:
          0  the data is in place and on the disk
          1  it failed, and the message says why; the data is what it was
          2  the command line or the configuration is wrong

        Example:
          systemctl stop syncdaemon.socket syncdaemon.service
          syncdaemon restore --data-dir /var/lib/syncdaemon /var/backups/syncdaemon.db
          systemctl start syncdaemon.socket syncdaemon.service

        """

    static let verify = """
        Usage: syncdaemon verify FILE|ARCHIVE

        Reads a whole backup, or an archive, and changes nothing: pages and indexes, tables, the
        checksums of everything that was archived, and of each channel the digest that its rows
        come to, beside the one that is kept. Of an archive each run is put together as restore
        does it, beside it in the file syncdaemon-verify.part, for which there must be room. A run
        is what was archived without a gap; the moments of each are named.

        Exit codes:
          0  all of it is what was written
          1  it is not, or could not be read; the message says what and where
          2  the command line is wrong

        Example:
          syncdaemon verify /var/backups/syncdaemon

        """

    static let storeCopy = """
        Usage: syncdaemon store copy --from PLACE --to PLACE [--schema NAME]

        Copies everything that a daemon keeps from SQLite to PostgreSQL, or back, with the
        timetokens, epoch and secrets that it has: devices go on with their cursors, and nothing is
        sent to them again. No daemon may run on either. There must be no data at the other place
        yet; what is at the first one stays as it is. All rows are read back and compared, and each
        channel's digest is computed from them, before the copy may be used: one that fails or
        differs leaves no data. Rows whose checksum is wrong are refused: see salvage.

        PLACE is one of
          sqlite:DIR         the daemon's directory ([store] directory)
          postgres:URL       the server ([store] url); without a password, which others could read
          postgres:@FILE     the same from the first line of a file ([store] url_file)

        Flags:
          --schema NAME      the schema on the server ([store] schema). Default: syncdaemon.

        Contents of files are not in the database: they stay in DIR/files, which has to be in
        [store] directory of the daemon that serves the copy.

        Exit codes:
          0  the copy is complete, equal and durable
          1  it failed, and the message says why; no data is there
          2  the command line is wrong

        Example:
          systemctl stop syncdaemon.socket syncdaemon.service
          syncdaemon store copy --from sqlite:/var/lib/syncdaemon \\
            --to postgres:@/etc/syncdaemon/database
          # [store] kind = postgres, url_file = /etc/syncdaemon/database
          systemctl start syncdaemon.socket syncdaemon.service

        """

    static let plan = """
        Usage: syncdaemon plan [FLAGS]

        Says what a service needs of disk, memory, processor and network: what its users do, times
        what one of each was measured to take. It looks at nothing on this machine.

        Flags:
        \(planFlags)
          --json
              For programs: bytes, seconds, bits, and what was measured.

        docs/CAPACITY.md says where the figures come from, and how to measure them on a machine.

        Example:
          syncdaemon plan --users 100000 --reactions-per-day 3000000 --retention 365

        """

    private static var planFlags: String {
        PlannedUse.keys.map { key in
            let standard = key.write(PlannedUse()).map { " Default: \($0)." } ?? ""
            let text = TextLayout.wrap(key.summary + standard, width: 90)
                .map { "\n      \($0)" }.joined()
            return "  \(key.flag)" + (key.placeholder.map { " \($0)" } ?? "") + text
        }.joined(separator: "\n")
    }

    /// One paragraph per flag: name, meaning, default, key and variable.
    private static var flags: String {
        var lines = [
            "Flags:", "  --config FILE",
            "      Read settings from FILE (SYNCDAEMON_CONFIG). With a - before the path the file"
                + " may be",
            "      absent.",
        ]
        for section in Configuration.sections {
            lines += ["", "Flags of section [\(section)]:"]
            for key in Configuration.keys where key.section == section {
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

extension String {
    /// With blanks behind it, up to a width.
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
