// Why an export or an import stopped, in words that say what to do.

import EventModel

/// An operator's problem with a transfer.
enum TransferError: Error, Hashable {
    case noDirectory
    case noData(directory: String)
    case noChannel(String, keyset: String?)
    case noKeyset(String)
    case served(directory: String)
    case file(DatabaseFileError)
    case store(StoreError)
    case input(path: String, reason: String)
    case output(reason: String)
    /// Lines count from 1.
    case line(path: String, number: Int, reason: String)
    case lineTooLong(path: String, number: Int)
    /// There is nothing in it.
    case empty(path: String)
    /// - Parameter isKept: Whether what it has is in the store.
    case notWhole(path: String, line: Int, isKept: Bool)
    /// - Parameters:
    ///   - channel: `nil`: it is said of all of them.
    ///   - isKept: Whether some of it is in the store.
    case altered(path: String, line: Int, channel: String?, isKept: Bool)
    /// - Parameter number: The first line that is not blank behind the export's last one.
    case behindEnd(path: String, number: Int)
    case contradiction(Contradiction)
    case tooLate(Timetoken)
    case allTenants(path: String)
    /// - Parameter expected: Ends the sentence "Name …".
    case noKeysetName(String, expected: String)
    /// The disk of the data is full; the import can go on.
    case full(path: String)
    case wrongDigest(channel: String)
    case noMapping(path: String, reason: String)
    /// Something in the file says by itself that it is nothing to import; `reason` says what to do.
    case refused(place: String, reason: String)
    case contents(FileError)

    /// A word for programs, which stays the same across releases.
    var code: String {
        switch self {
        case .noDirectory, .noData: "no_data"
        case .noChannel: "no_channel"
        case .noKeyset: "no_keyset"
        case .served: "in_use"
        case .file, .store, .full, .wrongDigest: "store"
        case .input: "no_input"
        case .output: "no_output"
        case .line, .lineTooLong, .empty, .notWhole, .altered, .behindEnd, .noMapping,
            .refused:
            "bad_input"
        case .contradiction: "contradiction"
        case .tooLate: "too_late"
        case .allTenants: "all_tenants"
        case .noKeysetName: "bad_keyset"
        case .contents: "files"
        }
    }

    /// What is, and what to do.
    var message: String {
        switch self {
        case .noDirectory: "Nothing says where the data is. Name its directory with --data-dir."
        case .noData(let directory):
            "There is no syncdaemon.db in \(directory). Name the daemon's directory with"
                + " --data-dir, or a backup with --database."
        case .noChannel(let name, let keyset):
            "Nothing was ever in the channel \(LogText.quoted(name))"
                + (keyset.map { " of \(LogText.quoted($0))" } ?? "")
                + ". Check the name, and --keyset."
        case .noKeyset(let keyset):
            "Nothing was ever kept for the keyset \(LogText.quoted(keyset)). Check --keyset, which"
                + " is a subscribe_key, and that this is the right data."
        case .served(let directory):
            "A daemon runs on \(directory). Stop it first: systemctl stop syncdaemon.socket"
                + " syncdaemon.service (or Ctrl-C, where no systemd runs it)."
        case .file(let error): error.description
        case .store(let error): error.description
        case .input(let path, let reason): "\(path): \(reason). Check the path."
        case .output(let reason): "What is written finds no place: \(reason)."
        case .line(let path, let number, let reason):
            "\(path), line \(number): \(reason). Make the file anew with syncctl export, or say of"
                + " what it is with --from."
        case .lineTooLong(let path, let number):
            "\(path), line \(number): it has more than \(Limits.transferLineBytesMax) bytes."
                + " No export has such lines: say of what it is with --from."
        case .empty(let path): "\(path) is empty. Make the file anew with syncctl export."
        case .notWhole(let path, let line, let isKept):
            "\(path) is not whole: it ends behind line \(line)."
                + (isKept
                    ? " What it has is in the store. Import a whole export, and the rest comes too."
                    : " Import a whole export.")
        case .altered(let path, let line, let channel, let isKept):
            "\(path), line \(line): what it says of "
                + (channel.map { "the channel \(LogText.quoted($0))" } ?? "all channels")
                + " is not what was exported. Copy or make the file anew"
                + (isKept ? "; what was read of it so far may be wrong in the store." : ".")
        case .behindEnd(let path, let number):
            "\(path), line \(number): the export is over before it. Import each export by itself,"
                + " from a file of its own, and remove what is no line of one."
        case .contradiction(let found):
            "\(found) Nothing of that is changed. --keep leaves what is there wherever they differ."
        case .tooLate(let timetoken):
            "The timetoken \(timetoken) is more than a day ahead of this machine's clock. Set"
                + " the clock right: new events would have to be later."
        case .allTenants(let path):
            "\(path) is an export of all tenants, and --into takes one. Export that one with"
                + " --keyset."
        case .noKeysetName(let name, let expected):
            "No keyset has the subscribe_key \(LogText.quoted(name)). Name \(expected) with --into."
        case .full(let path):
            "There is no room for \(path). Free some space, and run the command again: what came"
                + " stays, and the rest comes then."
        case .wrongDigest(let channel):
            "What is now in the channel \(LogText.quoted(channel)) does not come to its digest."
                + " That is a fault of this program or of the disk: keep the file, and report it."
        case .noMapping(let path, let reason):
            "\(path): \(reason). See docs/OPERATIONS.md, \"Export and import\"."
        case .refused(let place, let reason): "\(place): \(reason)"
        case .contents(let error):
            "Contents of files cannot be copied: \(error). Run the command again when that is"
                + " mended: what is copied stays."
        }
    }
}

/// A row of the file that the store has otherwise.
struct Contradiction: Error, Hashable, CustomStringConvertible {
    let channel: Channel
    /// What the file says, and what the store does.
    let reason: String

    var description: String {
        "In the channel \(LogText.quoted(channel.name)) of \(LogText.quoted(channel.keyset))"
            + " \(reason)."
    }
}
