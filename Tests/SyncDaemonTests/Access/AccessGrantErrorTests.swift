// What is wrong with a token is said before it is made.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access grants that are refused")
struct AccessGrantErrorTests {
    private static func error(_ change: (inout AccessToken) -> Void) -> GrantError? {
        var token = AccessToken(issued: AccessSamples.now, minutes: 1)
        change(&token)
        let key = AccessTokenKey(secretKey: "s", subscribeKey: "k")
        do throws(GrantError) {
            _ = try token.text(signedWith: key)
            return nil
        } catch {
            #expect(error.description.hasSuffix("."))
            return error
        }
    }

    private static func names(_ count: Int, _ text: (Int) -> String) -> [ExactText: UInt8] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { (ExactText(text($0)), 1) })
    }

    @Test("a token has a time, a size, and patterns that may be searched for")
    func limits() {
        #expect(Self.error { $0.minutes = 43_200 } == nil)
        #expect(Self.error { $0.minutes = 0 } == .minutes)
        #expect(Self.error { $0.minutes = 43_201 } == .minutes)
        func name(_ count: Int) -> ExactText { ExactText(String(repeating: "u", count: count)) }
        #expect(Self.error { $0.user = name(6200) } == .tooLarge)
        #expect(Self.error { $0.user = name(5900) } == nil)
        #expect(
            Self.error { $0.patterns.groups = [ExactText("a)"): 1] }
                == .pattern("a)", .malformed("a ) closes nothing", at: 1)))
        #expect(Self.error { $0.patterns.users = Self.names(256) { "u\($0)" } } == nil)
        #expect(
            Self.error {
                $0.patterns.users = Self.names(200) { "u\($0)" }
                $0.patterns.channels = Self.names(57) { "c\($0)" }
            } == .tooManyPatterns)
        #expect(Self.error { $0.patterns.channels = Self.names(4) { "\($0){999}" } } == nil)
        #expect(
            Self.error { $0.patterns.channels = Self.names(5) { "\($0){800}" } }
                == .patternsTooLarge)
        // What grants nothing costs nothing.
        #expect(Self.error { $0.patterns.spaces = [ExactText("a)"): 1] } == nil)
    }
}
