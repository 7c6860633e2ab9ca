// How the daemons over one schema find and know each other, as the configuration has it.

import EventModel

extension Examination {
    /// Looks at what makes a cluster together, when one is asked for.
    mutating func takeCluster(
        _ environment: [String: String], read: (_ path: String) -> SecretFile
    ) {
        let sources = configuration.sources
        guard let listen = configuration.clusterListen else {
            let keys = ["cluster.advertise", "cluster.key_file"]
            if let source = keys.lazy.compactMap({ sources[$0] }).first {
                mistakes.append(.cluster(source, .noListener))
            }
            return
        }
        let line = sources["cluster.listen"] ?? .standard
        if configuration.storeKind != .postgres { mistakes.append(.cluster(line, .noServer)) }
        if configuration.keysets.haveFiles { mistakes.append(.cluster(line, .files)) }
        let advertise = configuration.clusterAdvertise ?? listen
        if advertise.isWildcard || advertise.port == 0 {
            mistakes.append(.cluster(sources["cluster.advertise"] ?? line, .nowhere))
        }
        guard let source = configuration.clusterKeySource else {
            mistakes.append(.cluster(line, .noKey))
            return
        }
        let keyLine = sources["cluster.key_file"] ?? .standard
        guard let (path, file) = text(of: source, environment, keyLine, read) else { return }
        if file.isForOthers {
            warnings.append(
                .secretFileForOthers(
                    keyLine, path: path, isOurs: file.isOurs, setting: "key_file"))
        }
        let key = Array((file.onlyLine ?? "").utf8)
        guard (Limits.linkKeyBytesMin...Limits.linkKeyBytesMax).contains(key.count),
            key.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            mistakes.append(.cluster(keyLine, .badKey(path: path)))
            return
        }
        configuration.cluster = ClusterSettings(listen: listen, advertise: advertise, key: key)
    }
}

/// What is wrong with a cluster.
enum ClusterMistake: Hashable, Sendable, CustomStringConvertible {
    case noListener
    case noServer
    case files
    case nowhere
    case noKey
    case badKey(path: String)

    /// What it is, and what to do.
    var description: String {
        switch self {
        case .noListener:
            "[cluster] has no listen. Write the address and port where the other daemons come, or"
                + " leave the section out."
        case .noServer:
            "daemons make a cluster over one schema of PostgreSQL's. Write kind = postgres in"
                + " [store], or leave [cluster] out."
        case .files:
            "files of channels are in a directory of one daemon, so a cluster has none. Write files"
                + " = no in each keyset, or leave [cluster] out."
        case .nowhere:
            "other daemons cannot come to that address. Write where they find this one:"
                + " advertise = 10.0.0.1:8090."
        case .noKey:
            "[cluster] has no key_file. Name a file that all daemons of the cluster have: openssl"
                + " rand -base64 33 makes a key."
        case .badKey(let path):
            "what is in \(LogText.quoted(path)) cannot be the key of a cluster. Write there"
                + " \(Limits.linkKeyBytesMin) to \(Limits.linkKeyBytesMax) visible ASCII"
                + " characters, and nothing else: openssl rand -base64 33 makes one."
        }
    }
}
