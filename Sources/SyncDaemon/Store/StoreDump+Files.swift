// What a database file says of files, and of devices that hear of channels by push.

import EventModel
import SQL

extension StoreDump {
    private static let filesPerPage: Int64 = 256

    /// The next files of a selection's channels behind one, by channel and then as they came.
    ///
    /// - Returns: `next` is where to go on; `nil` at the end.
    func files(
        of selection: StoreSelection, behind place: StoredFile?
    ) throws(DatabaseFileError) -> (page: [StoredFile], next: StoredFile?) {
        var page: [StoredFile] = []
        var last = place
        try file.connection.prepare(
            """
            SELECT keyset, channel, created, id, name, size, user FROM file
            WHERE (keyset, channel, created) > (?1, ?2, ?3) AND (?4 IS NULL OR keyset = ?4)
            ORDER BY keyset, channel, created LIMIT ?5
            """
        ).query(
            .text(place?.channel.keyset ?? ""), .text(place?.channel.name ?? ""),
            .timetoken(place?.created ?? .zero), .optional(selection.keyset),
            .integer(Self.filesPerPage)
        ) { row in
            guard let id = FileID(row.text(3)) else { return fail("a file's id is none") }
            guard let name = row.exactText(1), let keyset = row.exactText(0) else {
                return fail("the channel of a file is none")
            }
            let file = StoredFile(
                channel: Channel(name, keyset: keyset), id: id, name: row.text(4),
                size: Int(row.integer(5)), userID: row.text(6), created: row.timetoken(2))
            guard file.isListed(behind: last) else {
                return fail("the order of its files is another")
            }
            last = file
            page.append(file)
            return true
        }
        try checkRows()
        return (page.filter { selection.includes($0.channel) }, page.last)
    }

    func hasFiles(in channel: Channel) throws(DatabaseFileError) -> Bool {
        try file.connection.prepare("SELECT 1 FROM file WHERE keyset = ? AND channel = ?").first([
            .text(channel.keyset), .text(channel.name),
        ]) { _ in true } ?? false
    }

    /// One channel of a device at a time.
    func forEachDevice(
        of keyset: String?,
        _ body: (_ device: PushDevice, _ channel: String, _ user: String) -> Bool
    ) throws(DatabaseFileError) {
        try file.connection.prepare(
            """
            SELECT keyset, token, gateway, environment, topic, channel, user
            FROM push_device
            WHERE ?1 IS NULL OR keyset = ?1
            ORDER BY keyset, token, gateway, environment, topic, channel
            """
        ).query(.optional(keyset)) { row in
            guard let gateway = PushDevice.Gateway(rawValue: row.text(2)) else {
                return fail("a device's gateway is none")
            }
            let device = PushDevice(
                token: row.text(1), gateway: gateway, environment: row.text(3), topic: row.text(4),
                keyset: row.text(0))
            return body(device, row.text(5), row.text(6))
        }
        try checkRows()
    }
}

extension StoredFile {
    /// Whether it comes after another one: see ``Channel/isListed(behind:)``.
    fileprivate func isListed(behind other: StoredFile?) -> Bool {
        guard let other else { return true }
        return channel.isListed(behind: other.channel)
            || !other.channel.isListed(behind: channel) && other.created < created
    }
}
