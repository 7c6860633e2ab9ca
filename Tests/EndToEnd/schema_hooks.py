"""What schemathesis is to leave out: a schema counts characters, the daemon bytes of UTF-8."""

import schemathesis


def fits(value):
    """Whether no text in it is short enough by its characters, and may be too long by its bytes."""
    if isinstance(value, dict):
        return all(map(fits, value.values()))
    if isinstance(value, list):
        return all(map(fits, value))
    return not isinstance(value, str) or value.isascii() or len(value) <= 16


@schemathesis.hook
def filter_body(context, body):
    return fits(body)


@schemathesis.hook
def filter_query(context, query):
    return fits(query)
