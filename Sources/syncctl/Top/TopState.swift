// What the screen of `top` shows, and what its keys do. Pure.

/// What the shell has to do for the user.
enum TopIntent: Hashable, Sendable {
    case leave, redraw, suspend
}

struct TopState: Sendable {
    enum Order: String, CaseIterable, Sendable {
        case waits, follows, age
    }

    /// Rows of tenants; the rest is counted.
    private static let tenantsMax = 5
    private static let nameColumnsMax = 20

    private let measure: Columns
    private var rows: Int
    private var columns: Int
    private var scene = TopScene()
    private var order = Order.waits
    /// Whether the screen stays as it is.
    private var isHeld = false

    init(rows: Int, columns: Int, measure: Columns) {
        (self.rows, self.columns, self.measure) = (rows, columns, measure)
    }

    mutating func resize(rows: Int, columns: Int) {
        (self.rows, self.columns) = (rows, columns)
    }

    mutating func show(_ scene: TopScene) {
        if !isHeld { self.scene = scene }
    }

    mutating func press(_ key: ScreenKey) -> TopIntent? {
        switch key {
        case .text("q"), .text("Q"), .escape, .control("c"), .control("d"): return .leave
        case .text("s"):
            let index = (Order.allCases.firstIndex(of: order) ?? 0) + 1
            order = Order.allCases[index % Order.allCases.count]
        case .text("p"), .text(" "): isHeld.toggle()
        case .control("l"): return .redraw
        case .control("z"): return .suspend
        default: break
        }
        return nil
    }

    // MARK: The picture

    var picture: ScreenPicture {
        var lines = head + [StyledLine()] + tenants + [StyledLine()]
        let room = max(0, rows - 1 - lines.count)
        lines += sessions(room)
        lines = Array(lines.prefix(max(0, rows - 1)))
        lines += Array(repeating: StyledLine(), count: max(0, rows - 1 - lines.count))
        return ScreenPicture(lines: (lines + [foot]).map { $0.clipped(to: columns, measure) })
    }

    private var head: [StyledLine] {
        var lines = [StyledLine(measure.visibleName(scene.title), .bold)]
        lines += scene.troubles.map { StyledLine(measure.visible($0), .alert) }
        return lines + figures(StatsColumn.all) + figures(StatsColumn.stored)
    }

    /// Titles, and what they are of below them.
    private func figures(_ figures: [StatsColumn]) -> [StyledLine] {
        let titles = figures.map { $0.title.padded(to: $0.width, fromLeft: true) }
        let values = figures.map { column in
            (scene.interval.map { column.text($0) } ?? "-")
                .padded(to: column.width, fromLeft: true)
        }
        return [
            StyledLine(titles.joined(separator: "  "), .dim),
            StyledLine(values.joined(separator: "  ")),
        ]
    }

    private var tenants: [StyledLine] {
        let titles = ["keyset", "sessions", "follow", "channels", "stored", "refused", "limited"]
        let shown = scene.tenants.prefix(Self.tenantsMax).map { tenant in
            [tenant.keyset]
                + [
                    tenant.connections, tenant.subscriptions, tenant.channels, tenant.storedBytes,
                    tenant.refused, tenant.rateLimited,
                ].map { Figure.text(Double($0)) }
        }
        let rest = scene.tenants.count - shown.count
        return table(titles, shown, textColumns: 1)
            + (rest > 0 ? [StyledLine("and \(rest) more: syncctl admin tenants", .dim)] : [])
    }

    private func sessions(_ room: Int) -> [StyledLine] {
        guard room > 1 else { return [] }
        let titles = ["user", "device", "address", "kind", "id", "since", "follows", "waits"]
        let shown = ordered.prefix(room - 1).map { session in
            [
                session.user, session.device, session.address, session.kind, session.id,
                String(session.since.prefix(19).suffix(8)),
                Figure.text(Double(session.subscriptions)),
                Figure.text(Double(session.queuedBytes)),
            ]
        }
        return table(titles, shown, textColumns: 6)
    }

    private var ordered: [TopScene.Session] {
        scene.sessions.sorted { left, right in
            switch order {
            case .waits where left.queuedBytes != right.queuedBytes:
                left.queuedBytes > right.queuedBytes
            case .follows where left.subscriptions != right.subscriptions:
                left.subscriptions > right.subscriptions
            default: (left.since, left.id) < (right.since, right.id)
            }
        }
    }

    /// - Parameter textColumns: How many of the first are texts; numbers stand at the right.
    private func table(
        _ titles: [String], _ cells: [[String]], textColumns: Int
    ) -> [StyledLine] {
        let visible = cells.map { row in
            row.map { measure.clipped(measure.visibleName($0), to: Self.nameColumnsMax) }
        }
        let widths = titles.indices.map { column in
            ([titles] + visible).map { measure.width(of: $0[column]) }.max() ?? 0
        }
        func line(_ row: [String]) -> String {
            row.enumerated().map { column, text in
                let blanks = String(
                    repeating: " ", count: widths[column] - measure.width(of: text))
                return column < textColumns ? text + blanks : blanks + text
            }.joined(separator: "  ")
        }
        return [StyledLine(line(titles), .dim)] + visible.map { StyledLine(line($0)) }
    }

    private var foot: StyledLine {
        var line = StyledLine("q", .bold)
        line.add(" leave  ")
        line.add("s", .bold)
        line.add(" sessions by \(order.rawValue)  ")
        line.add("p", .bold)
        line.add(isHeld ? " go on" : " hold")
        if isHeld { line.add("  held", .alert) }
        return line
    }
}
