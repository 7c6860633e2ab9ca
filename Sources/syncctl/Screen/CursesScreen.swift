// The terminal as a screen: the only file that calls curses. It draws lines and reads keys.

import CCurses
import Glibc

/// The terminal's settings before the screen, for a process that dies.
private let settingsBefore: termios = {
    var settings = termios()
    unsafe tcgetattr(STDIN_FILENO, &settings)
    return settings
}()

/// What puts the terminal's screen back, as $TERM's description has it; there once it was opened.
private let farewell: [UInt8] = {
    let strings = ["rmkx", "sgr0", "cnorm", "rmcup"].map(CursesScreen.description)
    return Array((CursesScreen.pasteOff + strings.joined()).utf8)
}()

/// Puts the terminal back and dies of the signal.
///
/// Only calls that signal-safety(7) allows.
private func dieTidily(_ number: Int32) {
    unsafe farewell.withUnsafeBytes { bytes in
        _ = unsafe write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
    var settings = settingsBefore
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    signal(number, SIG_DFL)
    raise(number)
}

/// Owns the terminal from its making to its end, which leaves it as it was.
///
/// curses takes one call at a time: those of the main actor.
@MainActor
struct CursesScreen: ~Copyable {
    /// Signals that mean that the process is wrong; with them the terminal is put back, too.
    private nonisolated static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]
    /// Has the terminal say where something pasted begins and ends.
    private static let pasteOn = "\u{1B}[?2004h"
    nonisolated fileprivate static let pasteOff = "\u{1B}[?2004l"
    private static let pasteBegins: Int32 = 16_000
    private static let pasteEnds: Int32 = 16_001
    /// Milliseconds after which an escape is the key, and not the beginning of another one.
    private static let escapeDelay: Int32 = 25
    private static let (ownPair, alertPair): (Int32, Int32) = (1, 2)

    private let showsColor: Bool
    private var isPasting = false
    /// What was drawn last.
    private var shown: [StyledLine] = []

    /// - Throws: For a terminal of which nothing is known, or that cannot move its cursor.
    init(showsColor: Bool) throws(JobError) {
        _ = settingsBefore
        // Widths and bytes of characters are those of UTF-8, whatever else the locale says.
        let locale = unsafe setlocale(LC_CTYPE, "").map { unsafe String(cString: $0) } ?? ""
        if !locale.uppercased().contains("UTF") { unsafe setlocale(LC_CTYPE, "C.UTF-8") }
        guard unsafe sync_curses_open() != nil else { throw Self.unusable }
        guard !Self.description("cup").isEmpty else {
            endwin()
            throw Self.unusable
        }
        let window = unsafe sync_curses_window()
        raw()
        noecho()
        nonl()
        unsafe keypad(window, true)
        unsafe nodelay(window, true)
        set_escdelay(Self.escapeDelay)
        unsafe define_key("\u{1B}[200~", Self.pasteBegins)
        unsafe define_key("\u{1B}[201~", Self.pasteEnds)
        self.showsColor = showsColor && has_colors()
        if self.showsColor {
            start_color()
            use_default_colors()
            init_pair(Int16(Self.ownPair), Int16(COLOR_CYAN), -1)
            init_pair(Int16(Self.alertPair), Int16(COLOR_YELLOW), -1)
        }
        Self.say(Self.pasteOn)
        _ = farewell
        for number in Self.crashes { signal(number, dieTidily) }
    }

    deinit {
        for number in CursesScreen.crashes { signal(number, SIG_DFL) }
        CursesScreen.say(CursesScreen.pasteOff)
        endwin()
    }

    private static var unusable: JobError {
        JobError(
            code: "no_terminal", message: "This terminal cannot show a screen.",
            advice: "Say with TERM which one it is, for example TERM=xterm-256color.")
    }

    /// What the terminal's description says of a capability; empty: it has none.
    nonisolated fileprivate static func description(_ capability: String) -> String {
        guard let text = unsafe tigetstr(capability), Int(bitPattern: text) != -1 else { return "" }
        return unsafe String(cString: text)
    }

    /// Puts the terminal back and dies of the signal, whatever goes on; once a screen was made.
    nonisolated static var lastResort: @convention(c) (Int32) -> Void { dieTidily }

    /// Straight to the terminal, past what curses keeps of it.
    private nonisolated static func say(_ text: String) {
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBytes { bytes in
            _ = unsafe write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
        }
    }

    // MARK: Size

    /// Rows and columns; takes what the kernel says when that is another than before.
    func size() -> (rows: Int, columns: Int) {
        var (rows, columns): (Int32, Int32) = (0, 0)
        if unsafe sync_curses_size(&rows, &columns) != 0 { resizeterm(rows, columns) }
        let window = unsafe sync_curses_window()
        return (Int(unsafe getmaxy(window)), Int(unsafe getmaxx(window)))
    }

    // MARK: Drawing

    mutating func draw(_ picture: ScreenPicture) {
        let window = unsafe sync_curses_window()
        unsafe werase(window)
        for (row, line) in picture.lines.enumerated() {
            unsafe wmove(window, Int32(row), 0)
            for span in line.spans {
                unsafe wattrset(window, attributes(span.style))
                unsafe waddnstr(window, span.text, -1)
            }
            unsafe wattrset(window, 0)
            // Terminals do not agree how wide these are: such a line is never mended in parts.
            let before = shown.indices.contains(row) ? shown[row] : StyledLine()
            if line != before, line.isUncertain || before.isUncertain {
                unsafe wredrawln(window, Int32(row), 1)
            }
        }
        shown = picture.lines
        if let cursor = picture.cursor {
            unsafe wmove(window, Int32(cursor[0]), Int32(cursor[1]))
        }
        curs_set(picture.cursor == nil ? 0 : 1)
        unsafe wrefresh(window)
    }

    /// Forgets what the terminal is thought to show.
    func redraw() {
        unsafe clearok(sync_curses_window(), true)
    }

    /// Gives the terminal back until the shell has the process go on.
    func suspend() {
        Self.say(Self.pasteOff)
        endwin()
        // To this thread, so that it does not go on before the process has stopped.
        raise(SIGSTOP)
        Self.say(Self.pasteOn)
        redraw()
    }

    private func attributes(_ style: Style) -> Int32 {
        var attributes: Int32 = 0
        if style.contains(.dim) { attributes |= sync_curses_dim }
        if style.contains(.bold) { attributes |= sync_curses_bold }
        if style.contains(.reverse) { attributes |= sync_curses_reverse }
        if style.contains(.underline) { attributes |= sync_curses_underline }
        guard showsColor else { return attributes }
        if style.contains(.own) { attributes |= sync_curses_pair(Self.ownPair) }
        if style.contains(.alert) { attributes |= sync_curses_pair(Self.alertPair) }
        return attributes
    }

    // MARK: Keys

    /// The next key that is there; `nil`: there is none now.
    mutating func key() -> ScreenKey? {
        let window = unsafe sync_curses_window()
        while true {
            var code = wint_t()
            switch unsafe wget_wch(window, &code) {
            case ERR: return nil
            case Int32(KEY_CODE_YES):
                let code = Int32(bitPattern: code)
                if code == Self.pasteBegins || code == Self.pasteEnds {
                    isPasting = code == Self.pasteBegins
                } else if let key = Self.named(code) {
                    return key
                }
            default: if let key = typed(code) { return key }
            }
        }
    }

    private static func named(_ code: Int32) -> ScreenKey? {
        switch code {
        case KEY_UP: .up
        case KEY_DOWN: .down
        case KEY_LEFT: .left
        case KEY_RIGHT: .right
        case KEY_PPAGE: .pageUp
        case KEY_NPAGE: .pageDown
        case KEY_HOME: .home
        case KEY_END: .end
        case KEY_BACKSPACE: .backspace
        case KEY_DC: .delete
        case KEY_ENTER: .enter
        default: nil
        }
    }

    private func typed(_ code: wint_t) -> ScreenKey? {
        switch code {
        case 10, 13: return isPasting ? .text("\n") : .enter
        case 9: return isPasting ? .text(" ") : .tab
        case 27: return .escape
        case 8, 127: return .backspace
        case 1...26: return .control(Character(Unicode.Scalar(UInt8(code) + 96)))
        case 0..<32, 128..<160: return nil
        default: return Unicode.Scalar(code).map { .text(String($0)) }
        }
    }
}

extension Columns {
    /// As the C library has them, for the locale that the screen has set.
    static let ofTerminal = Columns { Int(wcwidth(wchar_t($0.value))) }
}

extension StyledLine {
    /// Whether it has what turns a sign into an emoji, or joins several.
    fileprivate var isUncertain: Bool {
        spans.contains { span in
            span.text.unicodeScalars.contains { $0 == "\u{FE0F}" || $0 == "\u{200D}" }
        }
    }
}
