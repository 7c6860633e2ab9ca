// Access control for a daemon that is loaded: what that costs shows beside one without it.

/// A keyset that admits only who shows a token, and a token that is good there for long.
enum Guard {
    /// `sub` is `w`, `exp` in 2100, and `permissions` are `read`, `write`, `react` and `history` of
    /// the pattern `^c`.
    static let token =
        "eyJhbGciOiJIUzI1NiIsImtpZCI6ImJlbmNoIn0.eyJzdWIiOiJ3Iiwia2V5c2V0Ij"
        + "oiZGVmYXVsdCIsImV4cCI6NDEwMjQ0NDgwMCwicGVybWlzc2lvbnMiOnsicGF0dGVy"
        + "bnMiOnsiY2hhbm5lbHMiOnsiXmMiOlsicmVhZCIsIndyaXRlIiwicmVhY3QiLCJoaX"
        + "N0b3J5Il19fX19.sk8ZKH7wx0GiM7uJ49uxSiu3BrpbTMEavXFanHF5Lao"

    /// Writes the daemon's configuration.
    ///
    /// - Parameter folder: Absolute, and there.
    /// - Returns: Where it is.
    static func configure(in folder: String) throws(BenchError) -> String {
        try File.write(keys, to: "\(folder)/keys.json")
        let path = "\(folder)/syncdaemon.ini"
        try File.write(
            """
            [keyset default]
            subscribe_key = default
            access_control = yes
            jwks_file = \(folder)/keys.json

            """, to: path)
        return path
    }

    private static let keys =
        #"{"keys":[{"kty":"oct","kid":"bench","alg":"HS256","#
        + #""k":"YSBzZWNyZXQgb2YgYmVuY2htYXJrcywgdG9sZCB0byBhbGw"}]}"#
}
