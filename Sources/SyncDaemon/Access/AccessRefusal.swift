// Why somebody is not let in, or not let do something.

/// What is wrong with a token, a signature, or what its bearer wants; a gateway finds the words.
enum AccessRefusal: Error, Hashable, Sendable, CaseIterable {
    /// None was shown.
    case missing
    /// It does not have the form that it should have, or is too long.
    case garbage
    /// Nobody with one of the tenant's keys made it, or it was changed since.
    case badSignature
    /// Its time is over, or it is a request that was signed too long ago.
    case expired
    /// It is from the future, further than clocks may differ.
    case notYet
    /// It is for another tenant, issuer or audience.
    case wrongTenant
    /// It is for another user, or another of the user's devices.
    case wrongUser
    /// Somebody took it back.
    case revoked
    /// It is good, and does not allow this.
    case notPermitted
}
