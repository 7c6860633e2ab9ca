// What the parser is told about this process.

import Glibc

extension Surroundings {
    /// Read from the system, once, at the start.
    static func ofThisProcess() -> Surroundings {
        var surroundings = Surroundings(processID: getpid())
        for name in [
            "USER", "SYNCCTL_URL", "SYNCCTL_CA_FILE", "SYNCCTL_TOKEN", "SYNCCTL_SECRET", "NO_COLOR",
            "TERM",
        ] {
            guard let value = unsafe getenv(name) else { continue }
            surroundings.environment[name] = unsafe String(cString: value)
        }
        if let account = unsafe getpwuid(getuid())?.pointee.pw_name {
            surroundings.accountName = unsafe String(cString: account)
        } else {
            surroundings.accountName = "uid-\(getuid())"
        }
        var host = [CChar](repeating: 0, count: 256)
        if unsafe gethostname(&host, host.count - 1) == 0 {
            let bytes = host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
            surroundings.hostName = String(decoding: bytes, as: UTF8.self)
        }
        return surroundings
    }
}
