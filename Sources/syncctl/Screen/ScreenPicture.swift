// What a screen shows. Pure.

/// The lines of the screen, and where its cursor is.
struct ScreenPicture: Hashable, Sendable {
    var lines: [StyledLine]
    /// Its row and column; `nil`: it does not show.
    var cursor: [Int]?
}
