// Carries out `config check`: what is wrong on standard error, and in the end whether all is well.

enum ConfigurationCheck {
    /// - Parameters:
    ///   - isPublic: Whether to ask also if strangers may connect.
    ///   - asksServer: Whether to ask the database server if it could be used.
    /// - Returns: The exit code: 0, or 2 when something has to be mended.
    static func run(_ examination: Examination, isPublic: Bool, asksServer: Bool) -> Int32 {
        var examination = examination
        examination.lookAround()
        let open =
            isPublic ? PublicCheck(examination, memory: ProcessMemory.available) : PublicCheck()
        for warning in examination.warnings where !open.promoted.contains(warning) {
            complain("syncdaemon: warning: \(warning)")
        }
        examination.complain()
        for finding in open.missing { complain("syncdaemon: \(finding)") }
        for finding in open.advice { complain("syncdaemon: advice: \(finding)") }
        let count = examination.mistakes.count + open.missing.count
        let isServerFit =
            !asksServer || !examination.mistakes.isEmpty || askServer(of: examination.configuration)
        if count > 0 || !isServerFit {
            if isPublic, count > 0 {
                let things = count == 1 ? "1 thing is" : "\(count) things are"
                complain("syncdaemon: not ready to face the internet: \(things) missing.")
            }
            return 2
        }
        print(
            isPublic
                ? "The configuration is right, and ready to face the internet."
                : "The configuration is right.")
        return 0
    }

    /// Says what the server of the store is.
    ///
    /// - Returns: Whether a daemon could serve from it, or wait in reserve.
    private static func askServer(of configuration: Configuration) -> Bool {
        guard let server = configuration.storeServer else {
            complain("syncdaemon: --connect asks a database server, and [store] names none.")
            return false
        }
        do throws(StoreError) {
            print(
                try ServerLook(
                    target: server.text, schema: configuration.storeSchema,
                    needsStandby: configuration.needsStandby))
            return true
        } catch {
            complain("syncdaemon: \(error)")
            return false
        }
    }
}
