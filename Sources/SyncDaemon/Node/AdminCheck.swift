// Where operators ask, and the key that they show: what of the configuration is about that.

import Basis
import EventModel

extension Configuration {
    /// Where the socket of operators is when nobody says it; `nil` when the environment says
    /// nothing either.
    func defaultSocket(_ environment: [String: String]) -> String? {
        // systemd.exec(5): several directories are separated by colons.
        if let runtime = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first {
            return "\(runtime)/admin.sock"
        }
        return storeKind.isDurable && !directory.isEmpty ? directory + "/admin.sock" : nil
    }
}

extension Examination {
    /// Decides where operators ask, when nobody has.
    mutating func chooseSocket(_ environment: [String: String]) {
        let path = configuration.defaultSocket(environment) ?? ""
        let fits = path.utf8.count <= LocalSocket.pathBytesMax
        configuration.adminSocket = fits ? path : ""
        if !fits { warnings.append(.socketPathTooLong(path: path)) }
    }

    /// Gets the key of operators, when there is one.
    mutating func takeAdminKey(
        _ environment: [String: String], read: (_ path: String) -> SecretFile
    ) {
        guard let source = configuration.adminKeySource else { return }
        let line = configuration.sources["server.admin_key_file"] ?? .standard
        guard configuration.adminListen?.isLoopback == true else {
            mistakes.append(.adminKeyInVain(line))
            return
        }
        guard let (path, file) = text(of: source, environment, line, read) else { return }
        if file.isForOthers {
            warnings.append(
                .secretFileForOthers(
                    line, path: path, isOurs: file.isOurs, setting: "admin_key_file"))
        }
        guard let key = file.onlyLine,
            (Limits.adminKeyBytesMin...Limits.adminKeyBytesMax).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            mistakes.append(.badAdminKey(line, path: path))
            return
        }
        configuration.adminKey = key
    }
}
