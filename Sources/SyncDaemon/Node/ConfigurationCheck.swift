// Carries out `config check`: what is wrong on standard error, and in the end whether all is well.

enum ConfigurationCheck {
    /// - Parameter isPublic: Whether to ask also if strangers may connect.
    /// - Returns: The exit code: 0, or 2 when something has to be mended.
    static func run(_ examination: Examination, isPublic: Bool) -> Int32 {
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
        if count > 0 {
            if isPublic {
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
}
