// What reading the configuration came to: the settings, and everything that is wrong with them.

/// The settings with all mistakes, so that somebody can mend them at once.
struct Examination: Sendable {
    /// To be used only when there are no mistakes.
    var configuration = Configuration()
    /// Those of the file in its order, then those of variables, flags, and the whole.
    var mistakes: [ConfigurationError] = []
    /// The configuration file, when there is one.
    var file: String?
    /// What is allowed, and yet not good.
    var warnings: [ConfigurationWarning] = []
    /// What was read besides, with the settings that name it.
    var secretFiles: [(source: ConfigurationSource, path: String)] = []

    /// Mistakes that are shown at a time.
    static let mistakesShownMax = 50

    /// Names the mistakes on standard error.
    func complain() {
        for mistake in mistakes.prefix(Self.mistakesShownMax) {
            SyncDaemon.complain("syncdaemon: \(mistake)")
        }
        if mistakes.count > Self.mistakesShownMax {
            SyncDaemon.complain(
                "syncdaemon: and \(mistakes.count - Self.mistakesShownMax) mistakes more.")
        }
    }
}
