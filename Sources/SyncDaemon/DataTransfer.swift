// Exports and imports, as a tool asks for them: what it shows beside `Program`.

import EventModel

/// What of which data goes where.
public struct ExportRequest: Hashable, Sendable {
    /// The data directory; `nil`: the daemon's own default.
    public var directory: String?
    /// A database file in the place of that directory's, such as a backup.
    public var database: String?
    /// `nil`: standard output.
    public var output: String?
    /// `nil`: all tenants.
    public var keyset: String?
    /// Of that tenant; empty: all that it has.
    public var channels: [String]
    /// Whether what was removed or deleted goes along, as long as it is remembered.
    public var includesRemoved: Bool
    /// Where contents of files are copied to; `nil`: they are not.
    public var files: String?

    public init(
        directory: String? = nil, database: String? = nil, output: String? = nil,
        keyset: String? = nil, channels: [String] = [], includesRemoved: Bool = false,
        files: String? = nil
    ) {
        self.directory = directory
        self.database = database
        self.output = output
        self.keyset = keyset
        self.channels = channels
        self.includesRemoved = includesRemoved
        self.files = files
    }
}

/// What comes into which data.
public struct ImportRequest: Hashable, Sendable {
    /// Whose words a file is in.
    public enum Origin: String, Sendable, CaseIterable {
        case syncdaemon, pubnub, stream
    }

    /// The data directory; `nil`: the daemon's own default.
    public var directory: String?
    /// `-` is standard input.
    public var input: String
    public var origin: Origin
    /// The tenant in whose place the file's is put; `nil`: the file's own, or the default one.
    public var into: String?
    /// Of what in the file does not say it.
    public var channel: String?
    /// Whether what is there stays where the file says something else, and the rest comes.
    public var keepsContradicted: Bool
    /// Whether the file is read and nothing is written.
    public var isTrial: Bool
    /// Where contents of files are; `nil`: in the data directory, or nowhere.
    public var files: String?

    public init(
        directory: String? = nil, input: String, origin: Origin = .syncdaemon, into: String? = nil,
        channel: String? = nil, keepsContradicted: Bool = false, isTrial: Bool = false,
        files: String? = nil
    ) {
        self.directory = directory
        self.input = input
        self.origin = origin
        self.into = into
        self.channel = channel
        self.keepsContradicted = keepsContradicted
        self.isTrial = isTrial
        self.files = files
    }
}

/// What was done.
public struct TransferReport: Sendable {
    /// By name, for programs.
    public let numbers: [(name: String, value: Int)]
    /// For people.
    public let sentence: String
    /// What somebody should know besides.
    public let remarks: [String]
}

/// Why it was not done.
public struct TransferProblem: Error, Hashable {
    /// Stable across releases.
    public let code: String
    /// What is, and what to do.
    public let message: String

    init(_ error: TransferError) {
        (code, message) = (error.code, error.message)
    }
}

/// How far it is: rows, and percent of what there is where that is known.
public typealias TransferListener = (_ rows: Int, _ percent: Int?) -> Void

extension TransferReport {
    fileprivate init(_ summary: TransferSummary) {
        self.init(
            numbers: summary.numbers, sentence: summary.sentence, remarks: summary.remarks)
    }
}

extension Program {
    /// Writes an export; a daemon may go on writing to the data.
    public static func export(
        _ request: ExportRequest, tell: @escaping TransferListener
    ) throws(TransferProblem) -> TransferReport {
        do throws(TransferError) {
            let directory = try directory(request.directory)
            let path = request.database ?? SQLStore.path(in: directory)
            if request.database == nil {
                do throws(DatabaseFileError) {
                    guard try FileSystem.isThere(path) else {
                        throw DatabaseFileError.absent(path: path)
                    }
                } catch {
                    if case .absent = error { throw .noData(directory: directory) }
                    throw .file(error)
                }
            }
            let selection = StoreSelection(
                keyset: request.keyset
                    ?? (request.channels.isEmpty ? nil : Channel.defaultKeyset),
                channels: request.channels)
            return TransferReport(
                try Transfers.export(
                    selection, of: path, includesRemoved: request.includesRemoved,
                    files: request.files, to: request.output, tell: tell))
        } catch {
            throw TransferProblem(error)
        }
    }

    /// Reads an export, or another service's file, into the data of a daemon that does not run.
    public static func `import`(
        _ request: ImportRequest, tell: @escaping TransferListener
    ) throws(TransferProblem) -> TransferReport {
        do throws(TransferError) {
            if let into = request.into, !NamedKeyset.isKey(into) {
                throw .noKeysetName(into, expected: NamedKeyset.keyExpected)
            }
            let input = try TransferInput(request.input)
            let directory = request.isTrial ? nil : try directory(request.directory)
            let keeps = request.keepsContradicted
            let tenant = request.into ?? Channel.defaultKeyset
            switch request.origin {
            case .syncdaemon:
                return TransferReport(
                    try Transfers.import(
                        input, into: request.into, keeps: keeps, files: request.files,
                        directory: directory, tell: tell))
            case .pubnub:
                return TransferReport(
                    try Transfers.import(
                        input, by: PubNubHistory(channel: request.channel), into: tenant,
                        keeps: keeps, directory: directory, tell: tell))
            case .stream:
                return TransferReport(
                    try Transfers.import(
                        input, by: StreamExport(), into: tenant, keeps: keeps,
                        directory: directory, tell: tell))
            }
        } catch {
            throw TransferProblem(error)
        }
    }

    private static func directory(_ named: String?) throws(TransferError) -> String {
        guard let found = named ?? Configuration.defaultDirectory(ProcessEnvironment.all()) else {
            throw .noDirectory
        }
        return found
    }
}
