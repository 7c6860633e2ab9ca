// The console as the configuration has it, or why there is none.

extension ConsoleRoutes {
    /// `nil` where nobody wants it, and where it cannot be: clients are served all the same.
    init?(_ configuration: Configuration, _ exposure: Exposure, _ log: Log) {
        guard let directory = configuration.console else { return nil }
        let entrances = exposure.consoleEntrances(isPublic: configuration.hasPublicConsole)
        guard !entrances.isEmpty else {
            log.warning(
                "There is no console: other machines reach every listener where it would be. Write"
                    + " admin_listen = 127.0.0.1:8081, or console_for_clients = yes.")
            return nil
        }
        do throws(ConsoleError) {
            self.init(
                files: try ConsoleFiles(in: directory), entrances: entrances,
                ports: exposure.ports)
        } catch {
            log.error("There is no console. \(error)")
            return nil
        }
    }
}
