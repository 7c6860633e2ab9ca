// Mobile push in the embedded store: one row for each channel of which a device hears.

import EventModel
import SQL

extension SQLStore {
    func channels(
        of device: PushDevice, registeredBy user: String?
    ) throws(StoreError) -> [String] {
        try statements.push.channels.channels(of: device, registeredBy: user)
    }

    func devices(of channel: Channel, limit: Int) throws(StoreError) -> [PushDevice] {
        var devices: [PushDevice] = []
        try statements.push.devices.query(
            .text(channel.keyset), .text(channel.name), .integer(Int64(limit))
        ) { row in
            // Nobody else writes there: what is none is damage, and reaches nobody.
            guard let gateway = PushDevice.Gateway(rawValue: row.text(0)) else { return true }
            devices.append(
                PushDevice(
                    token: row.text(1), gateway: gateway, environment: row.text(2),
                    topic: row.text(3), keyset: channel.keyset))
            return true
        }
        return devices
    }

    func deviceCount(
        of channel: Channel, registeredBy user: String, besides device: PushDevice
    ) throws(StoreError) -> Int {
        try statements.push.countOfUser.first([
            .text(channel.keyset), .text(channel.name), .text(user), .text(device.token),
            .text(device.gateway.rawValue), .text(device.environment), .text(device.topic),
        ]) { Int($0.integer(0)) } ?? 0
    }

    func add(
        _ channels: [String], to device: PushDevice, by user: String?
    ) throws(StoreError) {
        for channel in channels {
            try note(
                statements.push.add, channel, of: device, [.text(user ?? "")], sign: 1)
            guard let user else { continue }
            try statements.push.own.run(
                [.text(user)] + device.values + [.text(channel)])
        }
    }

    func remove(_ channels: [String], from device: PushDevice) throws(StoreError) {
        for channel in channels {
            try note(statements.push.remove, channel, of: device, sign: -1)
        }
    }

    /// - Parameter statement: Returns a row where it changed something.
    private func note(
        _ statement: borrowing StoreStatement, _ channel: String, of device: PushDevice,
        _ more: [SQLValue] = [], sign: Int
    ) throws(StoreError) {
        let hasChanged = try statement.first(
            device.values + [.text(channel)] + more
        ) { _ in true }
        guard hasChanged != nil else { return }
        noteUse(of: device.keyset, bytes: sign * StoredUse.bytes(of: device, hearingOf: channel))
    }
}

extension SQLReader {
    func channels(
        of device: PushDevice, registeredBy user: String?
    ) throws(StoreError) -> [String] {
        try connection.revive()
        return try statements.push.channels(of: device, registeredBy: user)
    }
}

extension StoreStatement {
    /// What ``SQLPushStatements/channels`` finds.
    fileprivate borrowing func channels(
        of device: PushDevice, registeredBy user: String?
    ) throws(StoreError) -> [String] {
        var channels: [String] = []
        try query(
            .text(device.keyset), .text(device.token), .text(device.gateway.rawValue),
            .text(device.environment), .text(device.topic), .optional(user)
        ) { row in
            channels.append(row.text(0))
            return true
        }
        return channels
    }
}

extension PushDevice {
    fileprivate var values: [SQLValue] {
        [.text(keyset), .text(token), .text(gateway.rawValue), .text(environment), .text(topic)]
    }
}

extension SQLiteSchema {
    /// - `push_device`: one row for each channel of which a device hears.
    static let pushDevices = """
        CREATE TABLE push_device(
            keyset TEXT NOT NULL, token TEXT NOT NULL, gateway TEXT NOT NULL,
            environment TEXT NOT NULL, topic TEXT NOT NULL, channel TEXT NOT NULL,
            PRIMARY KEY (keyset, token, gateway, environment, topic, channel)) WITHOUT ROWID;
        CREATE INDEX push_device_by_channel ON push_device(keyset, channel);
        """

    /// - `user`: who registered it by a token that names them; empty: nobody.
    ///
    /// Apple's tokens are numbers, so those that differ by the case of a digit are one device.
    static let pushDeviceOwners = """
        ALTER TABLE push_device ADD COLUMN user TEXT NOT NULL DEFAULT '';
        UPDATE OR IGNORE push_device SET token = lower(token)
            WHERE gateway IN ('apns', 'apns2') AND token <> lower(token);
        DELETE FROM push_device
            WHERE gateway IN ('apns', 'apns2') AND token <> lower(token);
        """

    /// Adds to what keysets take up, as ``countUse`` has it, what their devices do.
    static let countDevices = """
        UPDATE keyset_use SET bytes = bytes + (
            SELECT CAST(total(100 + \(bytes("d", ["token", "topic", "channel"]))) AS INTEGER)
            FROM push_device AS d WHERE d.keyset = keyset_use.keyset);
        """
}

/// What it takes to keep devices.
final class SQLPushStatements {
    static let channels = """
        SELECT channel FROM push_device
        WHERE keyset = ?1 AND token = ?2 AND gateway = ?3 AND environment = ?4 AND topic = ?5
        AND (CAST(?6 AS TEXT) IS NULL OR "user" IN ('', ?6))
        ORDER BY channel
        """

    let channels: StoreStatement
    let devices: StoreStatement
    let countOfUser: StoreStatement
    let add: StoreStatement
    let own: StoreStatement
    let remove: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        channels = try connection.prepare(Self.channels)
        devices = try connection.prepare(
            """
            SELECT gateway, token, environment, topic FROM push_device
            WHERE keyset = ? AND channel = ?
            ORDER BY token, gateway, environment, topic LIMIT ?
            """)
        countOfUser = try connection.prepare(
            """
            SELECT count(*) FROM push_device WHERE keyset = ? AND channel = ? AND "user" = ?
            AND NOT (token = ? AND gateway = ? AND environment = ? AND topic = ?)
            """)
        add = try connection.prepare(
            """
            INSERT INTO push_device VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1
            """)
        own = try connection.prepare(
            """
            UPDATE push_device SET "user" = ? WHERE keyset = ? AND token = ? AND gateway = ?
            AND environment = ? AND topic = ? AND channel = ?
            """)
        remove = try connection.prepare(
            """
            DELETE FROM push_device WHERE keyset = ? AND token = ? AND gateway = ?
            AND environment = ? AND topic = ? AND channel = ? RETURNING 1
            """)
    }
}
