// What stands in a section [interceptor NAME]: who is asked before something is written.

import EventModel

/// An interceptor, and where its secrets stand.
struct NamedInterceptor: SignedSection {
    static let word = "interceptor"
    static let countMax = Limits.interceptorsMax

    var interceptor: Interceptor
    var keysetName: String?
    var secretSource: SecretSource?
    var previousSource: SecretSource?

    var url: String {
        get { interceptor.url }
        set { interceptor.url = newValue }
    }
    var patterns: [ChannelPattern] {
        get { interceptor.patterns }
        set { interceptor.patterns = newValue }
    }
    var secrets: [String] {
        get { interceptor.secrets }
        set { interceptor.secrets = newValue }
    }

    var name: String { interceptor.name }

    init(name: String) { interceptor = Interceptor(name: name) }

    static let keys =
        receiverKeys(example: "https://app.example.com/before") + channelKeys + questions

    private static let questions: [SettingKey<NamedInterceptor>] = [
        .list(
            "before", into: \.interceptor.kinds,
            expected: Interceptor.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                + ", separated by commas",
            "What it is asked about. Without a word: what is stored, so all but signal.",
            parse: { Interceptor.Kind(rawValue: $0) }, format: { $0.rawValue }),
        .number(
            "timeout_milliseconds",
            Limits.interceptorMillisecondsMin...Limits.interceptorMillisecondsMax,
            into: \.interceptor.timeoutMilliseconds,
            "Milliseconds in which it has to answer."),
        .choice(
            "on_failure", into: \.interceptor.failing,
            "What becomes of a write without an answer: refuse has its author try again, allow"
                + " writes it as it is."),
    ]
}

extension SectionCollector<NamedInterceptor> {
    /// Those that would be asked about nothing.
    var idle: [ConfigurationError] {
        sections.filter(\.interceptor.kinds.isEmpty).map { section in
            .badValue(
                source(of: "before", in: section) ?? beginning(of: section), key: "before",
                value: "",
                expected: "one of "
                    + Interceptor.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                    + " at least; or take the section away")
        }
    }
}

extension Configuration {
    /// The interceptors as reactors ask for them, in the file's order.
    var interceptors: [Interceptor] {
        namedInterceptors.map { named in
            var interceptor = named.interceptor
            if let name = named.keysetName {
                interceptor.keyset = namedKeysets.first { $0.name == name }?.keyset.subscribeKey
            }
            return interceptor
        }
    }
}
