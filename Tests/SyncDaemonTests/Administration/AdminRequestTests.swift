// What operators ask, as it is read: fields of a query and of a body, and what is refused.

import EventModel
import Testing

@testable import SyncDaemon

@Suite struct AdminRequestTests {
    private func operation(_ name: String) throws -> AdminOperation {
        try #require(AdminOperation.all.first { $0.name == name })
    }

    private func read(_ name: String, query: String = "", body: String = "") throws -> AdminRequest
    {
        let operation = try operation(name)
        let request = HTTPRequest(
            method: operation.isChange ? .post : .get, target: "/\(operation.path)\(query)",
            body: Array(body.utf8))
        return try AdminRequest(request, to: operation, peer: "uid 0 pid 1", keysets: Keysets())
    }

    @Test("a query and a body come to the same")
    func queryBodyCome() throws {
        let query = try read("sessions", query: "?user=a%20b&address=192.0.2.0/24&keyset=default")
        let filter = try query.filter()
        #expect(filter.user == "a b")
        #expect(filter.keyset == "default")
        #expect(filter.address == AddressRange("192.0.2.0/24"))
        let body = try read(
            "sessions kick",
            body: #"{"user":"a b","address":"192.0.2.0/24","keyset":"default","all":true}"#)
        #expect(try body.filter() == filter)
        #expect(try body.flag("all"))
        #expect(try !read("sessions kick").flag("all"))
    }

    @Test(
        "what is no field of the operation, or there twice, is refused",
        arguments: [
            ("sessions", "?usr=a"), ("sessions", "?user=a&user=b"), ("sessions", "?user=%FF"),
            ("sessions", "?limit=1&limit=1"), ("status", "?x"),
        ])
    func whatNoField(
        _ name: String, _ query: String
    ) throws {
        #expect { try read(name, query: query) } throws: { error in
            (error as? AdminError)?.code == "invalid_field"
        }
    }

    @Test(
        "what is no object of texts with all that is needed is refused",
        arguments: [
            "[]", "{", #""x""#, #"{"level":null}"#, #"{"level":["a"]}"#, #"{"level":"a\u0000"}"#,
            "{}",
            #"{"levels":"debug"}"#, "",
        ])
    func whatNoObject(_ body: String) throws {
        #expect { try read("log set", body: body) } throws: { error in
            (error as? AdminError)?.code == "invalid_field"
        }
    }

    @Test("numbers have bounds")
    func numbersHaveBounds() throws {
        for (text, number) in [("1", 1), ("1000", 1000)] {
            let request = try read("sessions", query: "?limit=\(text)")
            #expect(try request.number("limit", in: 1...1000, or: 7) == number)
        }
        #expect(try read("sessions").number("limit", in: 1...1000, or: 7) == 7)
        for text in ["0", "1001", "-1", "x", "", "1.0"] {
            let request = try read("sessions", query: "?limit=\(text)")
            #expect(throws: AdminError.self) { try request.number("limit", in: 1...1000, or: 7) }
        }
    }

    @Test(
        "a place is what a list said",
        arguments: ["1", "1:", ":1", "a:1", "-1:1", "1:-1", "1:1:1", "70000:1"])
    func placeWhatList(_ text: String) throws {
        #expect(throws: AdminError.self) {
            try read("sessions", query: "?after=\(text)").sessionPlace()
        }
        let place = SessionPlace(reactor: 2, slot: 77)
        #expect(try read("sessions", query: "?after=\(place)").sessionPlace() == place)
    }

    @Test("the log shows no secret")
    func logShowsNo() throws {
        let operation = try operation("tokens revoke")
        let request = try read("tokens revoke", body: #"{"token":"hush","keyset":"k"}"#)
        #expect(request.description(of: operation) == "keyset=k token=***")
    }

    @Test("each operation has a path of its own and a sentence")
    func eachOperationHas() {
        let paths = AdminOperation.all.map(\.path)
        #expect(Set(paths).count == paths.count)
        for operation in AdminOperation.all {
            #expect(operation.summary.hasSuffix("."))
            #expect(Set(operation.fields.map(\.name)).count == operation.fields.count)
            for field in operation.fields { #expect(field.summary.hasSuffix(".")) }
        }
    }
}
