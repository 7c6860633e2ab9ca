// The chat's own bounds, each with its unit and what happens at it.

/// What one screen may hold.
enum ChatLimits {
    /// Bytes of UTF-8 in the line that is written; what is typed or pasted over it is not taken.
    ///
    /// A frame has room for twice as much, quotes and escapes included.
    static let draftBytesMax = 16 * 1024
    /// Messages that the screen holds before it asks for no older ones any more.
    static let messagesMax = 10_000
    /// Values that the picker offers; the rest of a longer list is left out.
    static let pickerValuesMax = 100
    /// Columns of an author's name or a reaction's value; the rest is cut, with an ellipsis.
    static let nameColumnsMax = 20
    /// Rows and columns below which nothing but a request for more room is shown.
    static let rowsMin = 5
    static let columnsMin = 20
}
