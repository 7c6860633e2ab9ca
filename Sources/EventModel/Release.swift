// Which release this is: the one place that says it to programs, logs and people.

/// The release that all programs of this package belong to.
public enum Release {
    /// Semantic Versioning; `-dev` between two releases.
    public static let version = "0.2.0-dev"
}
