// Whether a configuration may face the internet: what the table of rules says of it.

/// Something that a configuration needs before strangers may connect: a row of ``all``, and an item
/// of the checklist in docs/OPERATIONS.md.
struct PublicRule: Sendable {
    /// One word, which the checklist has too.
    let name: String
    /// What has to be so; a sentence, which the checklist has too.
    let demand: String
    /// Warnings of the plain check that say that it is not so: here they are failures.
    var promotes: @Sendable (ConfigurationWarning) -> Bool = { _ in false }
    /// What else is not so.
    ///
    /// The number is what the process may have of the machine's memory, in bytes.
    var find: @Sendable (Configuration, Int) -> [PublicFinding] = { _, _ in [] }
}

/// What is missing, with where and what to do.
struct PublicFinding: Hashable, Sendable, CustomStringConvertible {
    /// `nil` when `text` says it.
    let source: ConfigurationSource?
    /// What is wrong, and what to do.
    let text: String
    /// The name of the setting that it is about, when that has one place: `allowed_hosts`.
    var setting: String?
    /// Whether the daemon may face the internet all the same.
    var isAdvice = false

    /// One line.
    var description: String { source.map { "\($0): \(text)" } ?? text }
}

extension Configuration {
    /// Something to be said about a setting, such as `server.insecure`, where it was set.
    func finding(_ path: String, _ text: String, isAdvice: Bool = false) -> PublicFinding {
        PublicFinding(
            source: sources[path] ?? .standard, text: text,
            setting: path.split(separator: ".").last.map { String($0) }, isAdvice: isAdvice)
    }
}

/// What all rules come to.
struct PublicCheck: Sendable {
    /// In the order of the table.
    private(set) var missing: [PublicFinding] = []
    private(set) var advice: [PublicFinding] = []
    /// Warnings that are among ``missing``.
    private(set) var promoted: Set<ConfigurationWarning> = []

    /// What is said when nobody asks.
    init() {}

    /// - Parameters:
    ///   - examination: After it looked around.
    ///   - memory: What the process may have of the machine's, in bytes.
    init(_ examination: Examination, memory: Int) {
        // Of settings that could not be read nothing can be said.
        guard !examination.isUnread else { return }
        for rule in PublicRule.all {
            for warning in examination.warnings where rule.promotes(warning) {
                missing.append(PublicFinding(source: nil, text: warning.description))
                promoted.insert(warning)
            }
            for finding in rule.find(examination.configuration, memory)
            where !examination.hasMistake(in: finding) {
                if finding.isAdvice { advice.append(finding) } else { missing.append(finding) }
            }
        }
    }
}

extension Examination {
    /// Whether the file of the configuration could not be read at all.
    fileprivate var isUnread: Bool {
        mistakes.contains { mistake in
            switch mistake {
            case .unreadableFile, .notText: true
            default: false
            }
        }
    }

    /// Whether the line that a finding is about could not be read: then its default is not what its
    /// writer meant.
    fileprivate func hasMistake(in finding: PublicFinding) -> Bool {
        mistakes.contains { mistake in
            guard case .badValue(let source, let key, _, _) = mistake else { return false }
            return source == finding.source
                || (finding.source == .standard && key == finding.setting)
        }
    }
}
