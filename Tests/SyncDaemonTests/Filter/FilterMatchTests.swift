// Which messages a filter expression lets pass.

import Testing

@testable import SyncDaemon

@Suite("Filters match")
struct FilterMatchTests {
    @Test(
        "what the reference of the language shows",
        arguments: [
            "region == 'east'", "meta.region == \"east\"", "data.text == 'Hello World'",
            "data.score > 80", "uuid != 'bob'", "temperature > 50", #"region in ("east","west")"#,
            #""east" in regions"#, #""as" in region"#, "('fr','en') contains language",
            "region LIKE 'EA*'", "region like '%ST'", "regions like 'w*'",
            "(attributes.var1 + attributes['var2'] == 30)", "count % 2 == 1",
            #"!("central" in region)"#, "count & 1 == 1", "(count & 3) == 3", "(count | 8) == 15",
            "(count ^ 2) == 5", "(region == 'east') && (data.score > 80)",
            "region == 'west' || data.tags contains 'new'",
        ])
    func reference(filter: String) throws {
        #expect(try FilterSamples.matches(filter))
    }

    @Test(
        "what the reference shows, the other way round",
        arguments: [
            "region == 'East'", "region == 'west'", "data.score < 80", "uuid != 'ada'",
            "temperature > 60", #"region in ("north","west")"#, #""central" in regions"#,
            "('fr','de') contains language", "region LIKE 'a*'", "regions like 'n*'",
            "attributes.var1 + attributes['var2'] == 31", "count % 2 == 0",
            #"!("east" in region)"#, "(count & 8) == 8",
            "(region == 'east') && (data.score > 100)",
        ])
    func referenceMisses(filter: String) throws {
        #expect(try !FilterSamples.matches(filter))
    }

    @Test("an empty filter lets everything pass", arguments: ["", " ", " \t\r\n "])
    func empty(filter: String) throws {
        let filter = try MessageFilter(filter)

        let message = FilteredMessage(bytes: 0, meta: .undefined) { .undefined }
        #expect(filter.verdict(on: message).isWanted)
    }

    @Test(
        "operators bind as in C",
        arguments: [
            ("true || false && false", true), ("(true || false) && false", false),
            ("1 + 2 * 3 == 7", true), ("(1 + 2) * 3 == 9", true), ("10 - 4 - 3 == 3", true),
            ("100 / 10 / 5 == 2", true), ("7 % 4 * 2 == 6", true), ("-2 + 3 == 1", true),
            ("- 2 * -3 == 6", true), ("1 < 2 == true", true), ("3 - 1 < 3", true),
            // & binds weaker than ==, and stronger than | and ^.
            ("6 & 2 == 2", false), ("7 & 2 == 2", true), ("(6 & 2) == 2", true),
            ("(4 | 6 & 3) == 6", true),
            ("(1 ^ 3 | 4) == 6", true), ("count == 7 & price == -3", true),
            ("count == 7 & price == 3", false), ("count == 1 ^ price == -3", true),
            ("false && false || true", true), ("1 == 1 && 2 == 2 || 3 == 4", true),
            ("!false && false", false), ("!(false && false)", true), ("!!true", true),
            ("~5 == -6", true), ("-~5 == 6", true), ("'a' in 'abc' == true", true),
        ])
    func precedence(filter: String, expected: Bool) throws {
        #expect(try FilterSamples.matches(filter) == expected)
    }

    @Test(
        "numbers and strings that spell them are the same, other kinds never are",
        arguments: [
            ("temperature == 55", true), ("55 == temperature", true), ("temperature == '55'", true),
            ("temperature == '55.0'", false), ("temperature == 55.0", true),
            ("temperature == 5.5e1", true), ("temperature + 1 == 56", true),
            ("temperature - '5' == 50", true), ("-temperature == -55", true),
            ("region > 5", false), ("region != 5", true), ("region == 0", false),
            ("isUrgent == true", true), ("isUrgent == 1", false), ("isUrgent != 'true'", true),
            ("nothing == null", true), ("nothing == false", false), ("empty == null", false),
            ("count == '0x7'", false), ("'inf' == 1e308", false), ("'nan' != 1", true),
            ("'' == 0", false), ("ratio == '.5'", true), ("'+7' == count", true),
            // Two strings are compared as texts.
            ("'10' < '9'", true), ("'10' < 9", false), ("'a' < 'b'", true), ("'B' < 'a'", true),
            ("'a' <= 'a'", true), ("'a' > 'a'", false), ("'a' >= 'a'", true),
            ("count >= 7", true), ("count <= 6", false), ("price < 0", true),
            ("regions == ('east', 'West')", true), ("regions != ('east', 'west')", true),
            ("regions == 'east'", false), ("attributes == attributes", true),
            ("attributes == meta", false), ("attributes.deep != attributes", true),
        ])
    func coercion(filter: String, expected: Bool) throws {
        #expect(try FilterSamples.matches(filter) == expected)
    }

    @Test(
        "a value by itself is a condition",
        arguments: [
            ("isUrgent", true), ("isMuted", false), ("!isMuted", true), ("nothing", false),
            ("!nothing", true), ("empty", false), ("region", true), ("count", true), ("0", false),
            ("0.0", false), ("'0'", true), ("regions", true), ("attributes", true), ("data", true),
            ("region && count", true), ("empty || nothing", false), ("false", false),
        ])
    func conditions(filter: String, expected: Bool) throws {
        #expect(try FilterSamples.matches(filter) == expected)
    }

    @Test(
        "in and contains are each other's reverse",
        arguments: [
            ("'east'", "regions", true), ("'EAST'", "regions", false), ("'eas'", "regions", false),
            ("'eas'", "region", true), ("'Eas'", "region", false), ("''", "region", true),
            ("region", "('west', 'east')", true), ("temperature", "(54, 55)", true),
            ("2", "scores", true), ("'1'", "scores", true), ("3", "scores", false),
            ("scores[2]", "scores", true), ("null", "(nothing, 1)", true), ("5", "55", false),
            ("'var1'", "attributes", false), ("region", "('east')", true),
            ("'w'", "data.text", false), ("'lo Wo'", "data.text", true),
            ("'aab'", "'aaaab'", true), ("'abac'", "'abababac'", true), ("'abad'", "'abac'", false),
            ("'longer'", "'long'", false), ("regions", "(regions, 1)", true),
        ])
    func membership(part: String, whole: String, expected: Bool) throws {
        #expect(try FilterSamples.matches("\(part) in \(whole)") == expected)
        #expect(try FilterSamples.matches("\(whole) contains \(part)") == expected)
        #expect(try FilterSamples.matches("\(whole) CONTAINS \(part)") == expected)
        #expect(try FilterSamples.matches("!(\(part) IN \(whole))") == !expected)
    }

    @Test(
        "paths lead into objects and lists",
        arguments: [
            ("attributes.var1 == 10", true), ("meta.attributes['var1'] == 10", true),
            ("attributes[\"two words\"] == 1", true), ("attributes.in == 4", true),
            ("attributes.deep.er[0].x == 'y'", true),
            ("attributes['deep'].er[0]['x'] == 'y'", true),
            ("regions[1] == 'West'", true), ("scores[2][0] == 3", true), ("meta.meta == 9", true),
            ("meta['count'] == 7", true), ("data['score'] == 90", true),
            ("data.tags[0] == 'new'", true), ("true.x == 1 || true", true),
            // Names are bytes: nothing is normalised.
            ("e\u{301} == 'apart'", true), ("\u{E9} == 'together'", true),
            ("name == 'Mu\u{308}ller'", false), ("name == 'Müller'", true),
        ])
    func paths(filter: String, expected: Bool) throws {
        #expect(try FilterSamples.matches(filter) == expected)
    }

    @Test(
        "what is missing decides nothing, and neither does its negation",
        arguments: [
            "missing == 1", "missing != 1", "missing < 1", "missing >= 1", "1 != missing",
            "missing == missing", "missing == null", "missing in ('a')", "'a' in missing",
            "missing contains 'a'", "missing like '*'", "'a' like missing", "missing", "!missing",
            "!(missing == 1)", "!('central' in missing)", "missing + 1 == 1", "missing + 1 != 1",
            "-missing != 1", "~missing != 1", "(missing & 1) != 9", "regions[2] != 'x'",
            "regions['east'] != 'x'", "attributes[0] != 1", "region.length != 1", "data.none != 1",
            "nothing.x != 1", "missing && true", "true && missing", "missing || false",
            "false || missing", "attributes['VAR1'] != 1",
            // Results that do not exist.
            "1 / 0 != 1", "1 % 0 != 1", "0 / 0 != 1", "1e308 * 10 != 1", "region + 1 != 1",
            "-region != 1", "~ratio != 1", "(ratio & 1) != 9", "(1e300 | 1) != 9",
            "(null & 1) != 9", "true + 1 != 3",
        ])
    func missing(filter: String) throws {
        #expect(try !FilterSamples.matches(filter))
    }

    @Test(
        "what is missing does no harm where something else decides",
        arguments: [
            "missing == 1 || count == 7", "count == 7 || missing == 1", "!(missing && false)",
            "!(false && missing)", "(missing, 1) contains 1", "'x' == 'x' || missing",
        ])
    func decided(filter: String) throws {
        #expect(try FilterSamples.matches(filter))
    }

    @Test("a message without meta matches no filter that asks for some")
    func withoutMeta() throws {
        for filter in ["uuid != 'ada'", "!('central' in region)", "meta", "!meta.isMuted"] {
            #expect(try !FilterSamples.matches(filter, meta: .undefined) { .undefined })
        }
        #expect(try FilterSamples.matches("data == 'hi'", meta: .undefined) { .string("hi") })
    }

    @Test("the payload is asked for at most once, and only when it is named")
    func payload() throws {
        var reads = 0
        func matches(_ filter: String) throws -> Bool {
            try FilterSamples.matches(filter, meta: FilterSamples.meta) {
                reads += 1
                return FilterSamples.payload
            }
        }

        #expect(try matches("count == 7"))
        #expect(try matches("count == 7 || data.score == 90"))
        #expect(reads == 0)
        #expect(try matches("data.score == 90 && data.text like 'hello*'"))
        #expect(reads == 1)
    }

    @Test("filters are the same when their texts are, byte for byte")
    func identity() throws {
        let composed = try MessageFilter("a == '\u{E9}'")
        let decomposed = try MessageFilter("a == 'e\u{301}'")

        #expect(try composed == MessageFilter("a == '\u{E9}'"))
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed.text == "a == '\u{E9}'")
    }
}
