// What `--help` says of exports and imports.

extension Help {
    static let export = """
        Writes channels with all that is in them as JSON lines, one for each message
        and reaction: timetokens, versions, scores and read marks stay as they are.

        Usage: syncctl export --all|--keyset KEY|--channel NAME,NAME [OPTIONS]

          --all            everything, of all tenants
          --keyset KEY     one tenant: its channels and groups, devices for push, the
                           tokens that were taken back, and grants
          --channel NAME,NAME
                           only these channels (of --keyset, or of the tenant default)
          --tombstones     with what was removed or deleted, as long as that is
                           remembered
          --data-dir DIR   the daemon's data (default: as for syncdaemon serve)
          --database FILE  a file of syncdaemon backup in place of that
          --output FILE    a new file, for nobody else to read; - is standard output
                           (default)
          --files DIR      copies contents of files there, each by its id; without it
                           only their names, sizes and channels are written

        It reads one state of the data, also while the daemon runs; run it as the
        daemon's user or as root. One that was interrupted is begun anew. With --all the
        file holds what the digests are keyed with: keep it as you keep a backup.

        """

    static let `import` = """
        Reads an export into the data of a daemon that does not run.

        Usage: syncctl import FILE|- [OPTIONS]
               syncctl import --from pubnub|stream FILE|- [OPTIONS]

          --input FILE     the same as FILE; - is standard input
          --data-dir DIR   the daemon's data (default: as for syncdaemon serve); it is
                           made when it is absent
          --into KEYSET    put what is of one tenant into this one (with --from: into
                           which tenant; default: default)
          --files DIR      where the export's --files put contents of files; without it
                           they are taken from the data's own directory, and files
                           without contents are left out
          --keep           where the data says something else than the file, leave it
                           so and take the rest; without it that is an error
          --dry-run        read the whole file, say what it holds and what has no
                           counterpart here, and write nothing; the data is not read:
                           what it says otherwise only the import finds
          --from pubnub    answers of PubNub's history, with or without actions, and
                           of message-actions: any number of JSON texts
          --from stream    Stream Chat's export of channels
          --channel NAME   with --from pubnub: the channel of answers that do not say
                           it

        Timetokens, order and digests come out the same. What is there already is left
        alone, so an import that was killed goes on when it is run again. It is checked
        line by line and channel by channel against what was exported. One file is one
        export: several are imported one by one.

        """
}
