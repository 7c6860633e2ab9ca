// What `--help` says of `chat`.

extension Help {
    static let chat = """
        Shows a channel on the whole terminal, to talk and react there.

        Usage: syncctl chat CHANNEL [OPTIONS]

          --cache FILE     keep the channel and what is not sent in this file: with it
                           the chat is there at once the next time, also without a
                           connection. One chat at a time; without it, what is not sent
                           ends with the chat, which asks first.

        What you type goes to the line at the bottom, and Enter sends it. Up or Tab
        selects a message, and then these keys are about it:

          Up, Down         another message; PageUp and PageDown go by the screen, and
                           fetch older messages; End is the newest one
          r or +           react: a digit, or arrows and Enter, takes a value or takes
                           it back
          w                who reacted
          e, d             edit, delete a message of your own
          Enter or Esc     write again
          ?, q             all keys; leave

        Anywhere: Ctrl-C leaves, Ctrl-L draws anew, Ctrl-R reconnects at once, Ctrl-Z
        suspends. What the daemon has not confirmed is dim. The line "new" stands where
        what you had not read begins; it is marked as read on all of your devices when
        its end is on the screen. Where tokens are needed it takes one with the rights
        read, write and history, and delete for d.

        It wants a terminal of 40 columns and 10 lines, and UTF-8. Without --json:
        programs use subscribe and publish.

        """
}
