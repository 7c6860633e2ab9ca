// What `export` and `import` make of their words and options.

import SyncDaemon

extension JobReader {
    func exporting() throws(UsageError) -> ExportRequest {
        guard words.isEmpty else {
            throw UsageError(message: "export takes options only, not \"\(words[0])\".")
        }
        let (keyset, channels) = (tokens.values["--keyset"], try channelList())
        let isOfAll = tokens.flags.contains("--all")
        guard isOfAll != (keyset != nil || !channels.isEmpty) else {
            throw UsageError(
                message: "Say what to export: --all, --keyset KEY, or --channel NAME,NAME.")
        }
        let (directory, database) = (tokens.values["--data-dir"], tokens.values["--database"])
        guard directory == nil || database == nil else {
            throw UsageError(message: "--data-dir and --database both say where the data is.")
        }
        let output = tokens.values["--output"] ?? "-"
        return ExportRequest(
            directory: directory, database: database, output: output == "-" ? nil : output,
            keyset: keyset, channels: channels,
            includesRemoved: tokens.flags.contains("--tombstones"),
            files: tokens.values["--files"])
    }

    func importing() throws(UsageError) -> ImportRequest {
        let named = tokens.values["--input"]
        guard words.count + (named == nil ? 0 : 1) == 1, let input = named ?? words.first else {
            throw UsageError(message: "Name one file to import, or - to read it.")
        }
        var origin = ImportRequest.Origin.syncdaemon
        if let text = tokens.values["--from"] {
            guard let known = ImportRequest.Origin(rawValue: text) else {
                throw UsageError(message: "--from is pubnub or stream, not \"\(text)\".")
            }
            origin = known
        }
        let channel = tokens.values["--channel"]
        guard channel == nil || origin == .pubnub else {
            throw UsageError(
                message: "--channel goes with --from pubnub: other files say their channels.")
        }
        if let channel, channel.isEmpty || channel.contains(",") {
            throw UsageError(message: "--channel names one channel here, such as room.")
        }
        guard tokens.values["--files"] == nil || origin == .syncdaemon else {
            throw UsageError(message: "--files goes with exports: other files have none.")
        }
        guard tokens.values["--keyset"] == nil else {
            throw UsageError(message: "--into says into which tenant.")
        }
        return ImportRequest(
            directory: tokens.values["--data-dir"], input: input, origin: origin,
            into: tokens.values["--into"], channel: channel,
            keepsContradicted: tokens.flags.contains("--keep"),
            isTrial: tokens.flags.contains("--dry-run"), files: tokens.values["--files"])
    }

    /// No name has a comma; an empty one would pass for all channels.
    private func channelList() throws(UsageError) -> [String] {
        guard let text = tokens.values["--channel"] else { return [] }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else {
            throw UsageError(
                message: "--channel has an empty name: write NAME, or NAME,NAME without spaces.")
        }
        return names
    }
}
