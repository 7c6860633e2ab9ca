// Why a certificate and its key cannot be used, with what an administrator can do about it.

/// What is wrong with the files that `[tls]` names; the texts end a sentence that names one.
enum TLSIdentityError: Error, Hashable, CustomStringConvertible {
    case noCertificate
    case badCertificate(number: Int)
    case badKey
    case keyOfAnother
    /// OpenSSL will not use it.
    case refused(reason: String)

    /// Whether it is about the file of the key.
    var isOfKey: Bool {
        switch self {
        case .badKey, .keyOfAnother: true
        case .noCertificate, .badCertificate, .refused: false
        }
    }

    var description: String {
        switch self {
        case .noCertificate:
            "There is no certificate in it. Write the server's there, in PEM, and behind it those"
                + " of the authorities between it and the root."
        case .badCertificate(let number):
            "Certificate \(number) in it cannot be read. Write it there anew, in PEM."
        case .badKey:
            "There is no private key in it that can be read. Write it there in PEM, without a"
                + " password: nobody is there to type one."
        case .keyOfAnother:
            "This key is not that of the first certificate in certificate_file. Name the two files"
                + " that were made together."
        case .refused(let reason):
            "OpenSSL refuses it: \(reason). Have a certificate made for an ECDSA key of 256 bits,"
                + " or an RSA key of 2,048 bits or more."
        }
    }
}
