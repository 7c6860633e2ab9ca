// Makes, takes back and shows tokens: a backend's work, by hand.

import EventModel
import Glibc
import JSON
import SyncClient

struct TokenJobRunner {
    let options: Options

    func run(_ work: TokenWork) throws {
        switch work {
        case .grant(let granting): try grant(granting)
        case .revoke(let token): try revoke(try token ?? readToken())
        case .inspect(let token): try inspect(try token ?? readToken())
        }
    }

    // MARK: With the daemon

    private func grant(_ granting: Granting) throws {
        let path = "/v3/pam/\(URLText.segment(try keyset()))/grant"
        let answer = try ask("POST", path, body: granting.body)
        guard let token = answer.member("data")?.member("token")?.string else {
            throw JobError(code: "bad_reply", message: "The daemon's answer has no token.")
        }
        show(token) { $0.member("token", token) }
    }

    private func revoke(_ token: String) throws {
        let path = "/v3/pam/\(URLText.segment(try keyset()))/grant/\(URLText.segment(token))"
        _ = try ask("DELETE", path, body: "")
        show("revoked") { $0.member("revoked", true) }
    }

    private func ask(_ method: String, _ path: String, body: String) throws -> JSONValue {
        guard let secret = try secret() else {
            throw JobError(
                code: "no_secret", message: "There is no secret key to sign with.",
                advice: "Put it into SYNCCTL_SECRET, or name its file with --secret-file.")
        }
        let address = try WebSocketAddress(options.url)
        guard !address.isSecure else {
            throw JobError(
                code: "not_here", message: "Tokens are made and taken back over ws:// only.",
                advice: "Run this beside the daemon.")
        }
        let target = Signature.target(
            method, path, body: body, secretKey: secret, at: time(nil))
        let answer = try HTTPExchange.ask(method, target, body: body, at: address)
        let json = try? JSONValue(parsing: answer.body, depthMax: 16)
        guard answer.status == 200, let json else { throw try refusal(json, answer.status) }
        return json
    }

    private func refusal(_ json: JSONValue?, _ status: Int) throws(JobError) -> JobError {
        let reason = Self.reason(json, status: status)
        guard reason == Self.noSuchKeyset else {
            let advice =
                status == 403
                ? "Is it the secret_key of this keyset, and is the machine's clock right?" : ""
            return JobError(code: "refused", message: reason, advice: advice)
        }
        return JobError(
            code: "unknown_keyset",
            message: "The daemon has no keyset with the subscribe key \(printable(try keyset())).",
            advice: "Check --keyset, or ask the operator for its subscribe key.")
    }

    /// PubNub's words for it, whatever is asked.
    private static let noSuchKeyset = "Invalid Subscribe Key"

    /// What the daemon says against it.
    private static func reason(_ json: JSONValue?, status: Int) -> String {
        let error = json?.member("error")
        let details = error?.member("details")
        let detail =
            details?.isArray == true && details?.count ?? 0 > 0
            ? details?.element(at: 0).member("message")?.string : nil
        let message = json?.member("message")?.string ?? error?.member("message")?.string
        let words = [message, detail].compactMap(\.self).map(printable)
        return words.isEmpty
            ? "The daemon refused with status \(status)." : words.joined(separator: ": ")
    }

    private func keyset() throws(JobError) -> String {
        guard let keyset = options.keyset else {
            throw JobError(
                code: "no_keyset", message: "Say for which tenant.",
                advice: "Give its subscribe key with --keyset.")
        }
        return keyset
    }

    // MARK: Without it

    private func inspect(_ text: String) throws {
        let token = InspectedToken(
            text, secretKey: try secret(), keyset: options.keyset)
        guard let token else {
            throw JobError(
                code: "no_token", message: "This is no token of either kind.",
                advice: "Give it whole, as grant printed it.")
        }
        let format = TokenFormat(now: Int64(time(nil)))
        if options.writesJSON {
            Terminal.print(format.line(for: token))
        } else {
            for line in format.lines(for: token) { Terminal.print(line) }
        }
    }

    private func show(_ human: String, _ members: (inout JSONWriter) -> Void) {
        guard options.writesJSON else { return Terminal.print(human) }
        var json = JSONWriter()
        json.beginObject()
        members(&json)
        json.endObject()
        Terminal.print(String(decoding: json.bytes, as: UTF8.self))
    }

    // MARK: Secrets

    /// The first line of the file, or what the environment has.
    private func secret() throws(JobError) -> String? {
        guard let path = options.secretFile else { return options.secret }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw JobError(
                code: "no_secret", message: "\(printable(path)) cannot be read (errno \(errno)).",
                advice: "Check --secret-file.")
        }
        defer { close(descriptor) }
        return try firstLine(of: descriptor)
    }

    private func readToken() throws(JobError) -> String {
        try firstLine(of: STDIN_FILENO)
    }

    private func firstLine(of descriptor: Int32) throws(JobError) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= Self.lineMax, !bytes.contains(10) {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        let line = bytes.prefix { $0 != 10 && $0 != 13 }
        guard !line.isEmpty, let text = String(validating: line, as: UTF8.self) else {
            throw JobError(code: "empty", message: "There is nothing on the first line.")
        }
        return text
    }

    /// Bytes: twice what a token has at most.
    private static let lineMax = 16_384
}

extension Granting {
    /// As PubNub's SDKs send it.
    var body: String {
        var json = JSONWriter()
        json.beginObject()
        json.member("ttl", minutes)
        json.beginObject("permissions")
        for (scope, isPattern) in [("resources", false), ("patterns", true)] {
            json.name(escaping: scope)
            json.beginObject()
            for kind in ["channels", "groups", "uuids"] {
                json.name(escaping: kind)
                json.beginObject()
                for entry in entries where (entry.kind, entry.isPattern) == (kind, isPattern) {
                    json.name(escaping: entry.name)
                    json.integer(entry.bits)
                }
                json.endObject()
            }
            json.endObject()
        }
        json.beginObject("meta")
        json.endObject()
        json.member("uuid", bearer)
        json.endObject()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
