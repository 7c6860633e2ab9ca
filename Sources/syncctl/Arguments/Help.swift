// What `--help` says.

/// The texts of the tool about itself.
enum Help {
    /// - Parameter hasSimulator: Whether `sim` can be run: a package has no simulator.
    static func text(
        for subcommand: Subcommand?, hasSimulator: Bool = Simulator.isThere
    ) -> String {
        switch subcommand {
        case nil: overview(hasSimulator: hasSimulator) + global
        case .chat: chat + global
        case .subscribe: subscribe + global
        case .publish: publish + global
        case .react: react + global
        case .delete: delete + global
        case .history: history + global
        case .actions: actions + global
        case .cache: cache + global
        case .token: token + global
        case .export: export + global
        case .import: `import` + global
        case .admin: admin
        case .stats: stats
        case .top: top
        }
    }

    private static func overview(hasSimulator: Bool) -> String {
        """
        syncctl talks to a SyncDaemon.

        Usage: syncctl SUBCOMMAND [OPTIONS]

          chat CHANNEL                            talk and react, on the whole screen
          subscribe CHANNEL...                    show what happens, as it happens
          publish CHANNEL TEXT-or-JSON            send a message
          react add|remove|toggle CHANNEL MESSAGE EMOJI
                                                  react to a message
          delete CHANNEL MESSAGE [MESSAGE]        delete one message, or a range
          history CHANNEL                         show the newest messages
          actions CHANNEL                         show the reactions that stand
          cache verify|repair --cache FILE        compare a device's cache
          token grant|revoke|inspect              make, take back or read a token
          export --all|--keyset KEY|--channel NAME
                                                  write channels as JSON lines
          import FILE                             read such a file, or another service's
          admin COMMAND                           look into a running daemon, operate it
          stats                                   what a running daemon does, in figures
          top                                     the same on the whole screen
        \(hasSimulator ? simulator : "")
        A MESSAGE is a timetoken, as history shows it, or: last
        syncctl SUBCOMMAND --help says more about each.

        Try it in two terminals:

          syncctl subscribe room
          syncctl publish room hello && syncctl react add room last 👍

        """
    }

    private static let simulator = """
          sim                                     run the simulator
                                                  (syncctl sim --help)

        """

    private static let global = """

        Options of every subcommand but admin, stats and top, which have their own:
          --url URL        the daemon, ws:// or wss:// (default: $SYNCCTL_URL, or
                           ws://127.0.0.1:8080)
          --ca-file FILE   trust the authorities in this PEM file, and not the
                           machine's, for wss:// (default: $SYNCCTL_CA_FILE)
          --user NAME      who you are (default: $USER, or your account)
          --device NAME    which of your devices this is (default: from the host's name)
          --keyset KEY     the subscribe key of the tenant (default: the daemon's first)
          --publish-key KEY
                           what the tenant's owner asks of those who publish
          --token TOKEN    what the tenant's backend gave you (default: $SYNCCTL_TOKEN,
                           which other users of this machine do not see)
          --json           write one JSON object per line; errors too, on standard
                           error: {"error":{"code":…,"message":…,"advice":…}}
          --help, --version

        Exit codes: 0, 1 it failed, 2 the command line makes no sense.
        Colour goes only to a terminal, and not when NO_COLOR is set.

        """

    private static let subscribe = """
        Shows what happens in channels, as it happens, until Ctrl-C.

        Usage: syncctl subscribe CHANNEL... [OPTIONS]

          --since CURSOR   first show what changed after this timetoken; 0: everything
          --last N         first show the newest N messages of one channel, with their
                           reactions
          --count N        stop after N events; messages that --last shows are none

        It reconnects by itself and goes on where it stopped. An action's line ends with
        the reactions that then stand on the message, for example: 👍 2  ❤️ 1
        Who comes and goes in room is shown by: syncctl subscribe room-pnpres
        Where tokens are needed it takes one with the rights read and history.
        What cannot be read is left out, and said on standard error.

        """

    private static let publish = """
        Sends a message and prints its timetoken.

        Usage: syncctl publish CHANNEL TEXT-or-JSON [OPTIONS]

          --meta JSON      data about the message, for filters
          --type NAME      the application's name for this kind of message
          --text           send the text as it is, even if it is JSON (42, true, {…})

        What is JSON is sent as JSON; anything else is sent as a string.

        """

    private static let react = """
        Adds or removes your reaction.

        Usage: syncctl react add|remove|toggle CHANNEL MESSAGE|last EMOJI [OPTIONS]

          toggle           removes it if it stands, else adds it
          last             the newest message of the channel
          --type NAME      another kind of action (default: reaction)
          --exact          send the value as it is

        Without --exact space around it is dropped, and an emoji gets the form that all
        keyboards agree on: ❤ is sent as ❤️

        """

    private static let delete = """
        Deletes messages, with the actions on them, for everybody.

        Usage: syncctl delete CHANNEL MESSAGE|last [MESSAGE|last] [OPTIONS]

        Two messages: all from the older one to the newer one, both included.

        """

    private static let history = """
        Shows the newest messages, oldest first.

        Usage: syncctl history CHANNEL [OPTIONS]

          --limit N            at most N messages (default: 20)
          --before MESSAGE     only older messages: a timetoken, or last
          --actions            with the reactions of each

        """

    private static let actions = """
        Shows the actions that stand, oldest first.

        Usage: syncctl actions CHANNEL [OPTIONS]

          --message MESSAGE    only those of one message: a timetoken, or last
          --type NAME          only those of one type (reaction)
          --value TEXT         only those of one value (👍)
          --exact              take that value as it is
          --by NAME            only those of one user
          --limit N            at most N (default: all)

        """

    private static let cache = """
        Compares the cache file of a device with the daemon, by digest.

        Usage: syncctl cache verify|repair --cache FILE [CHANNEL...] [OPTIONS]

          verify           show which segments differ, a segment being some 32 messages
                           in a row, and their rows; exit code 1 if any do. The file is
                           not changed.
          repair           make the file equal to the daemon, and show what differed
          --cache FILE     the file that a client of SyncClient keeps

        Without a channel: all that the file keeps. User, device and keyset are those
        of the file. What happened since the file was written is no difference; it is
        fetched first. Where the file holds a part of a channel, that is compared, and
        what stands before it; such a part begins anew when it is wrong.
        End the program that owns the file before you repair it.

        """

    private static let token = """
        Makes tokens and takes them back, as a backend does, and says what one holds.

        Usage: syncctl token grant MINUTES KIND:NAME=RIGHTS... --keyset KEY [OPTIONS]
               syncctl token revoke TOKEN|- --keyset KEY [OPTIONS]
               syncctl token inspect TOKEN|- [OPTIONS]

          KIND:NAME        channel:room, group:friends or user:ada
          KIND~PATTERN     all names in which this regular expression is found
          RIGHTS           read, write, manage, delete, create, get, update and join,
                           with commas between them
          --bearer NAME    grant: only this user may show it
          --secret-file FILE
                           the file whose first line is the tenant's secret key
                           (default: $SYNCCTL_SECRET; never an option: other users of
                           this machine see those)
          -                read the token from standard input

        grant and revoke ask the daemon over HTTP, at the host and port of --url, and
        sign the request; over ws:// only, so run them beside the daemon. inspect asks
        nobody: it shows what stands in a token of PubNub's kind or in a JSON Web
        Token. Whether the secret key made one of PubNub's kind it says when it has the
        key and --keyset.

        """
}
