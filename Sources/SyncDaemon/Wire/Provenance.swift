// Where a request comes from, as far as it says so, and through which listener it came.

/// Which of the daemon's listeners a connection came through.
enum Entrance: Sendable, Hashable, CaseIterable {
    /// `listen`: for clients.
    case main
    /// `[tls] listen`: likewise, below TLS.
    case secure
    /// `admin_listen`: for operators.
    case admin
    /// `admin_socket`: for whoever may open that file, who may do everything.
    case local

    /// Those where clients come in.
    static let forClients: Set<Entrance> = [.main, .secure]

    var isForClients: Bool { self == .main || self == .secure }
}

/// What a request says of who asks, and for whom it is.
///
/// A page cannot choose any of it; a program may write what it likes, or nothing.
struct Provenance: Sendable, Hashable {
    /// The name, and perhaps a port, that the client connected to.
    var host: String?
    /// The page's, as its browser names it; not every request of a page has one.
    var origin: String?
    /// `Sec-Fetch-Site`: how near the page is to the daemon.
    ///
    /// - Source: Fetch Metadata Request Headers. Browsers send it to https and to the machine
    ///   itself.
    var site: String?
}
