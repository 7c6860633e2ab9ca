// What `--help` says of `admin`: the daemon's table, line by line.

import SyncDaemon

extension Help {
    static var admin: String {
        """
        Looks into a running daemon and operates it, at its socket on this machine.

        Usage: syncctl admin COMMAND [OPTIONS]

        \(commands)
        An option that a command needs may stand behind it without its name:
        syncctl admin backup /var/backups/sync.db
        A secret that is - is read from standard input.

          --socket PATH    the daemon's [server] admin_socket (default:
                           /run/syncdaemon/admin.sock, or that of your own daemon)
          --data-dir DIR   the daemon's data, where its socket is without systemd
          --json           write what the daemon answers, as one line of JSON
          --help, --version

        Who may open the socket may do everything: root and the daemon's user, and the
        members of [server] admin_socket_group.
        Exit codes: 0, 1 it failed or a reactor did not answer, 2 the command line makes
        no sense.

        """
    }

    private static var commands: String {
        Program.adminCommands.map { command in
            let options = command.fields.map { field in
                row(
                    "  " + field.option + (field.placeholder.map { " " + $0 } ?? ""),
                    field.summary + (field.isRequired ? " Needed." : ""))
            }
            return row(command.words.joined(separator: " "), command.summary) + options.joined()
        }.joined(separator: "\n")
    }

    /// A word, and a text beside it.
    private static func row(_ word: String, _ text: String) -> String {
        let (indent, column, width) = ("  ", 21, 80)
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if column + 2 + last.count + word.count < width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        let margin = String(repeating: " ", count: column + 2)
        // A long word has a line of its own.
        let isLong = word.count >= column
        let head =
            indent + word
            + (isLong ? "\n" + margin : String(repeating: " ", count: column - word.count))
        return head + lines.joined(separator: "\n" + margin) + "\n"
    }
}
