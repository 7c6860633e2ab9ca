// What Swift cannot import from ncursesw: macros that are casts, variables that C may change, and what
// glibc hides.
#ifndef SYNC_CCURSES_SHIM_H
#define SYNC_CCURSES_SHIM_H

// wget_wch and the other calls for wide characters are there only with it.
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <stdio.h>
#include <sys/ioctl.h>

/// wcwidth(3), which glibc declares for X/Open alone.
int wcwidth(wchar_t scalar);

static const int sync_curses_bold = (int)A_BOLD;
static const int sync_curses_dim = (int)A_DIM;
static const int sync_curses_reverse = (int)A_REVERSE;
static const int sync_curses_underline = (int)A_UNDERLINE;

/// COLOR_PAIR, as attributes.
static inline int sync_curses_pair(int pair) { return (int)COLOR_PAIR(pair); }

/// newterm(3X) on standard output and input, for the terminal that $TERM names.
static inline SCREEN *sync_curses_open(void) { return newterm(NULL, stdout, stdin); }

/// stdscr, which newterm sets.
static inline WINDOW *sync_curses_window(void) { return stdscr; }

/// Rows and columns of the terminal, as the kernel knows them; 0 when it does not.
static inline int sync_curses_size(int *rows, int *columns) {
    struct winsize size;
    if (ioctl(fileno(stdout), TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col) return 0;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return 1;
}

#endif
