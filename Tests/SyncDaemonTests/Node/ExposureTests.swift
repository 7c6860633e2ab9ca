// Which listener shows what, by who can reach it.

import Testing

@testable import SyncDaemon

@Suite("Exposure")
struct ExposureTests {
    @Test(
        "metrics are for operators, or for the machine itself, or for nobody",
        arguments: [
            ("127.0.0.1:8080", nil, .main), ("[::1]:8080", nil, .main),
            ("0.0.0.0:8080", nil, nil), ("192.0.2.1:8080", nil, nil), ("unknown", nil, nil),
            ("127.0.0.1:8080", "127.0.0.1:8081", .admin),
            ("0.0.0.0:8080", "127.0.0.1:8081", .admin), ("0.0.0.0:8080", "10.0.0.1:8081", .admin),
        ] as [(String, String?, Entrance?)])
    func metrics(main: String, admin: String?, entrance: Entrance?) {
        let exposure = Exposure(main: main, admin: admin)

        #expect(exposure.metricsEntrance == entrance)
        #expect(exposure.showsTroubles(at: .admin))
        #expect(
            exposure.showsTroubles(at: .main)
                == (admin == nil && (main.hasPrefix("127.") || main == "[::1]:8080")))
        let isOpen = admin?.hasPrefix("10.") == true
        #expect(exposure.notices.count == (entrance == nil || isOpen ? 1 : 0))
    }

    @Test(
        "the console is where only this machine asks, and elsewhere only when it is allowed",
        arguments: [
            ("127.0.0.1:8080", nil, [.main]), ("0.0.0.0:8080", nil, []),
            ("127.0.0.1:8080", "127.0.0.1:8081", [.admin]),
            ("0.0.0.0:8080", "127.0.0.1:8081", [.admin]),
            ("127.0.0.1:8080", "10.0.0.1:8081", []),
        ] as [(String, String?, Set<Entrance>)])
    func console(main: String, admin: String?, entrances: Set<Entrance>) {
        let exposure = Exposure(main: main, admin: admin)

        #expect(exposure.consoleEntrances(isPublic: false) == entrances)
        #expect(
            exposure.consoleEntrances(isPublic: true) == entrances.union(Entrance.forClients))
        #expect(exposure.ports == ConsoleRoutes.Ports(main: 8080))
        var configuration = Configuration()
        #expect(!exposure.transportSettings(configuration).policy(at: .admin).admitsOwnPages)
        configuration.console = "/usr/share/syncdaemon"
        #expect(exposure.transportSettings(configuration).policy(at: .admin).admitsOwnPages)
        #expect(!exposure.transportSettings(configuration).policy(at: .main).admitsOwnPages)
    }

    @Test("a proxy brings others to loopback, and TLS has an address of its own")
    func others() {
        let proxied = Exposure(main: "127.0.0.1:8080", secure: "127.0.0.1:8443", isProxied: true)
        #expect(proxied.metricsEntrance == nil)
        #expect(!proxied.showsTroubles(at: .main))
        #expect(!proxied.showsTroubles(at: .secure))
        let policies = proxied.transportSettings(Configuration())
        for entrance in Entrance.forClients {
            // Who may be called how is as strict as before; who is near, is not known.
            #expect(policies.policy(at: entrance).isLoopback)
            #expect(!policies.policy(at: entrance).admitsLocalPages)
        }

        let secure = Exposure(main: "127.0.0.1:8080", secure: "0.0.0.0:8443")
        #expect(secure.metricsEntrance == .main)
        #expect(secure.showsTroubles(at: .main))
        #expect(!secure.showsTroubles(at: .secure))
        #expect(!secure.transportSettings(Configuration()).policy(at: .secure).isLoopback)
    }

    @Test("what an operator sets holds at both listeners, but for pages")
    func settings() {
        var configuration = Configuration()
        configuration.allowedOrigins = ["https://chat.example"]
        configuration.allowedHosts = ["chat.example"]
        let settings = Exposure(main: "0.0.0.0:8080", admin: "127.0.0.1:8081")
            .transportSettings(configuration)

        #expect(settings.policy(at: .main).allowedOrigins == ["https://chat.example"])
        #expect(!settings.policy(at: .main).admitsLocalPages)
        #expect(settings.policy(at: .admin).allowedOrigins.isEmpty)
        #expect(settings.policy(at: .admin).isLoopback)
        // Nobody comes there by a name.
        #expect(settings.policy(at: .local) == PagePolicy(isLoopback: true))
        for entrance in Entrance.allCases where entrance != .local {
            #expect(settings.policy(at: entrance).allowedHosts == ["chat.example"])
        }
    }
}
