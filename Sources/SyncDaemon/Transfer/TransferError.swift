// Why an export or an import stopped, in words that say what to do.

import EventModel
import Glibc

/// An operator's problem with a transfer.
enum TransferError: Error, Hashable {
    case noDirectory
    case noData(directory: String)
    case noChannel(String, keyset: String?)
    case noKeyset(String)
    /// The directory belongs to a store that is not in it.
    case storeElsewhere(directory: String)
    case served(directory: String)
    case file(DatabaseFileError)
    case store(StoreError)
    case input(path: String, reason: String)
    /// - Parameters:
    ///   - path: `nil` is standard output.
    ///   - code: As `errno` has it.
    case output(path: String?, code: Int32)
    /// Lines count from 1.
    case line(path: String, number: Int, reason: String)
    case lineTooLong(path: String, number: Int)
    /// There is nothing in it.
    case empty(path: String)
    /// - Parameter isKept: Whether what it has is in the store.
    case notWhole(path: String, line: Int, isKept: Bool)
    /// It ends before the line up to which an earlier run read it.
    case shorter(path: String, line: Int)
    /// - Parameters:
    ///   - channel: `nil`: it is said of all of them.
    ///   - resumedBehind: The line up to which an earlier run read what is said; `nil`: none did.
    ///   - isKept: Whether some of that is in the store.
    case altered(path: String, line: Int, channel: String?, resumedBehind: Int?, isKept: Bool)
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
    /// A list of memberships that was exported by its name: what it says stands in others, too.
    case halfMemberships(channel: String)
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
        case .storeElsewhere: "store_elsewhere"
        case .served: "in_use"
        case .file, .store, .full, .wrongDigest: "store"
        case .input: "no_input"
        case .output: "no_output"
        case .line, .lineTooLong, .empty, .notWhole, .shorter, .altered, .behindEnd,
            .noMapping, .refused, .halfMemberships:
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
                + " --data-dir, or a backup with --database. Export and import do not reach"
                + " PostgreSQL: \"syncdaemon store copy\" takes its data to a directory first."
        case .noChannel(let name, let keyset):
            "Nothing was ever in the channel \(LogText.quoted(name))"
                + (keyset.map { " of \(LogText.quoted($0))" } ?? "")
                + ". Check the name, and --keyset."
        case .noKeyset(let keyset):
            "Nothing was ever kept for the keyset \(LogText.quoted(keyset)). Check --keyset, which"
                + " is a subscribe_key, and that this is the right data."
        case .storeElsewhere(let directory):
            "\(directory)/files holds contents of files, and there is no syncdaemon.db beside it:"
                + " its store is on a PostgreSQL server, or lost. Import into an empty directory,"
                + " and take that to a server with \"syncdaemon store copy\"; what is lost, restore"
                + " first."
        case .served(let directory):
            "A daemon or another import runs on \(directory). Stop it first: systemctl stop"
                + " syncdaemon.socket syncdaemon.service (or Ctrl-C, where no systemd runs it)."
        case .file(let error): error.description
        case .store(let error): error.description
        case .input(let path, let reason): "\(path): \(reason). Check the path."
        case .output(let path, let code): Self.words(ofOutput: path, code)
        case .line(let path, let number, let reason):
            "\(path), line \(number): \(reason). Make the file anew with syncctl export, or say of"
                + " what it is with --from."
        case .lineTooLong(let path, let number):
            "\(path), line \(number): it has more than \(Limits.transferLineBytesMax) bytes."
                + " No export has such lines: say of what it is with --from."
        case .halfMemberships(let channel):
            "The export has \(LogText.quoted(channel)) by its name: memberships stand in the"
                + " channel's list and in the user's, and nothing mends one without the other."
                + " Export all of the keyset, or leave the list out of --channel and set the"
                + " members again."
        case .empty(let path): "\(path) is empty. Make the file anew with syncctl export."
        case .notWhole(let path, let line, let isKept):
            "\(path) is not whole: it ends behind line \(line)."
                + (isKept
                    ? " What it has is in the store. Import a whole export, and the rest comes too."
                    : " Import a whole export.")
        case .shorter(let path, let line):
            "\(path) ends before line \(line), up to which an earlier run of this import read it."
                + " Give it the whole export, or as a file: a shorter one is read from its"
                + " beginning."
        case .altered(let path, let line, let channel, let resumedBehind, let isKept):
            "\(path), line \(line): "
                + Self.words(ofAltered: channel, resumedBehind: resumedBehind, isKept: isKept)
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

    /// Whether the file is not what was exported.
    var isDamage: Bool {
        switch self {
        case .line, .lineTooLong, .altered: true
        default: false
        }
    }

    private static func words(ofOutput path: String?, _ code: Int32) -> String {
        let what = path.map { "\($0) cannot be written" } ?? "Standard output takes no more"
        let advice =
            [ENOSPC, EDQUOT, EFBIG].contains(code)
            ? "Free some space there, or name another place with --output,"
            : "Check the place, or what reads there,"
        return "\(what): \(systemMessage(code).lowercased()). \(advice) and run the command again."
    }

    private static func words(
        ofAltered channel: String?, resumedBehind: Int?, isKept: Bool
    ) -> String {
        let what = channel.map { "the channel \(LogText.quoted($0))" } ?? "all channels"
        let before = resumedBehind.map { ", with what an earlier run read up to line \($0)," }
        let rows = channel == nil ? "rows of it" : "rows of that channel"
        let advice =
            isKept
            ? ": \(rows) are in the store already, and may be wrong. Import it into a new"
                + " directory, or into a backup of this one."
            : "."
        return "what it says of \(what)\(before ?? "") is not what was exported. Copy or make the"
            + " file anew\(advice)"
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
