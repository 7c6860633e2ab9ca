// temporary local stub, replaced by ops
struct Log: Sendable {
    func notice(_ message: String, _ fields: [String: String] = [:]) { print(message, fields) }
    func warning(_ message: String, _ fields: [String: String] = [:]) { print(message, fields) }
    func error(_ message: String, _ fields: [String: String] = [:]) { print(message, fields) }
}
