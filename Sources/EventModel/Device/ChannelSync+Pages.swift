// The pages of a window: what is asked for, what came, and what is given up.

extension ChannelSync {
    // MARK: Wishes

    /// Asks for messages before those that are held.
    mutating func loadOlder(_ count: Int) -> Step {
        pages.older = max(pages.older ?? 1, min(count, Limits.windowPageMessagesMax))
        return askForWished()
    }

    /// Compares what is before the window with the server's: the sum cannot see what was filed on
    /// the wrong side of where it starts.
    ///
    /// - Parameter isWished: Somebody wants to know now: a channel that was refused is asked for
    ///   again.
    mutating func verify(isWished: Bool) -> Step {
        if !isWished, isRefused { return Step() }
        pages.comparesRest = window != nil
        return askForWished()
    }

    private mutating func askForWished() -> Step {
        if isRefused { return subscribe() }
        var step = Step()
        askForPage(&step)
        return step
    }

    /// Asks for the page that is needed most, if one is.
    mutating func askForPage(_ step: inout Step) {
        answerOlder(&step)
        let isOpening = phase == .subscribing && compared.isUnopened
        guard phase == .following || isOpening, pages.asked == nil, !pages.isRefused,
            let (reason, last) = neededPage
        else { return }
        let through = compared.isUnopened ? nil : compared.rest.after
        let query = OlderQuery(channel: name, through: through, last: last)
        compared.expectPage()
        step.questions.append(.older(query, number: pages.next(reason)))
    }

    private var neededPage: (PageQuestions.Reason, last: Int)? {
        guard let window else { return nil }
        let held = compared
        let count = held.cache.messages.count
        if held.isUnopened {
            let shown = incoming == nil ? 0 : base.cache.messages.count
            return (.opening, min(max(window.last, shown), Limits.windowPageMessagesMax))
        }
        // What was missed is told of the window as it was asked for: what a page brings before that
        // might lack some of it.
        guard held.rest.after > .zero, !catchesUp else { return nil }
        // While it catches up, the last batch says it.
        if held.rest.digest == nil { return told?.cursor == held.cursor ? (.rest, 0) : nil }
        guard incoming == nil else { return nil }
        if pages.comparesRest { return (.rest, 0) }
        if let older = pages.older { return (.older, older) }
        guard count < window.last, !pages.isUnfillable, held.state != nil else { return nil }
        return (.filling, window.last - count)
    }

    /// Says so when a wish for older messages comes to nothing.
    private mutating func answerOlder(_ step: inout Step) {
        guard pages.older != nil, incoming == nil, !base.isUnopened, pages.asked == nil else {
            return
        }
        if base.rest.after == .zero {
            step.older = .loaded(hasMore: false)
        } else if let window, base.cache.messages.count >= window.keeping {
            step.older = .full
        }
        if step.older != nil { pages.older = nil }
    }

    /// Whatever page comes now, it is of no use.
    mutating func forgetPage() {
        pages.asked = nil
        base.cancelPage()
        incoming?.cancelPage()
    }

    // MARK: Replies

    /// A page is there.
    mutating func paged(_ page: WindowPage, number: Int) -> Step {
        var step = Step()
        guard let asked = pages.asked, asked.number == number else { return step }
        let isKnown = compared.expectsPage
        let start = compared.rest.after
        pages.asked = nil
        guard isKnown, phase == .following else {
            // It was sent together with a subscription that is not there, or something came that
            // did not say what happened before the window.
            forgetPage()
            askForPage(&step)
            return step
        }
        guard let rows = compared.grow(by: page) else {
            distrust(&step)
            return step
        }
        step.isOlder = asked.reason != .opening
        if incoming == nil { (step.rows, step.hasMoved) = (rows, true) }
        if asked.reason == .rest { pages.comparesRest = false }
        if asked.reason == .older {
            // A page is short where messages are large: the next one brings the rest of the wish.
            let left = (pages.older ?? 0) - page.messages.count
            let leadsOn = page.after < start && page.after > .zero
            pages.older = left > 0 && leadsOn ? left : nil
        }
        // One that leads nowhere is not asked for for ever.
        if asked.reason == .filling { pages.isUnfillable = page.after == start }
        isVerified = false
        compareAfterPage(page, &step)
        // What was sent while it lagged behind may be much.
        if asked.reason == .rest { cutToSize(&step) }
        if asked.reason == .older, pages.older == nil {
            step.older = .loaded(hasMore: base.rest.after > .zero)
        }
        askForPage(&step)
        return step
    }

    private mutating func compareAfterPage(_ page: WindowPage, _ step: inout Step) {
        if compared.cursor == page.cursor {
            compare(with: page.state, at: page.cursor, &step)
        } else if let told {
            compare(with: told.state, at: told.cursor, &step)
        }
    }

    /// The server refused a page.
    mutating func pageRefused(_ error: ProtocolError, number: Int) -> Step {
        var step = Step()
        guard let asked = pages.asked, asked.number == number else { return step }
        forgetPage()
        guard !error.isWorthRetrying else {
            pages.isRefused = true
            return step
        }
        switch asked.reason {
        case .opening: refuse(error, &step)
        case .rest:
            pages.comparesRest = false
            // Without it no push proves anything.
            if compared.rest.digest == nil { distrust(&step) }
        case .older: (pages.older, step.older) = (nil, .refused(error))
        case .filling: pages.isUnfillable = true
        }
        // Somebody may wait for another one.
        askForPage(&step)
        return step
    }

    /// The channel is not to be had.
    mutating func refuse(_ error: ProtocolError, _ step: inout Step) {
        phase = .refused(error)
        pages.comparesRest = false
        guard pages.older != nil else { return }
        (pages.older, step.older) = (nil, .refused(error))
    }

    // MARK: What is given up

    /// Wishes for the messages again that were given up because nobody said what became of them.
    mutating func wishBack(_ rows: [RowChange]) {
        let lost = rows.count { if case .messageDropped = $0 { true } else { false } }
        guard lost > 0 else { return }
        pages.older = max(pages.older ?? 1, min(lost, Limits.windowPageMessagesMax))
    }

    /// Gives up the oldest messages when there are many more than are to be kept.
    ///
    /// Not amid a catch-up: what is told to who holds all does not say what was before.
    mutating func cutToSize(_ step: inout Step) {
        guard let window, incoming == nil, !base.isUnopened, pages.asked == nil,
            told?.cursor == base.cursor
        else { return }
        let count = base.cache.messages.count
        // Not one by one: each time costs O(n log n).
        guard count > window.keeping + max(16, window.keeping / 8) else { return }
        let after = base.cache.messages.keys.sorted()[count - window.keeping - 1]
        step.rows += base.shrink(to: after)
    }
}
