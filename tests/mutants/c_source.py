"""Read a C file as far as needed: its functions, and the expressions in them that decide.

An expression that decides is what stands in `if (…)`, `while (…)`, the middle of `for (…)`, behind `return` or behind an
assignment. The outermost one counts. What holds a brace is left alone, and so is what a `static` declaration sets: that
must be constant. Comments, strings and preprocessor lines are tokens of their own, so nothing in them is ever taken.
"""

import bisect
import collections
import re

TOKEN = re.compile(
    r"""(?P<blank>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\.|[^\n\\])*)
      | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<word>[A-Za-z_0-9][A-Za-z_0-9.]*)
      | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

Token = collections.namedtuple("Token", "text start end line")
Region = collections.namedtuple("Region", "kind tokens")  # kind: if, loop, return, value

OPENS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def tokens_of(source):
    starts = [0] + [m.end() for m in re.finditer("\n", source)]
    return [
        Token(m.group(), m.start(), m.end(), bisect.bisect_right(starts, m.start()))
        for m in TOKEN.finditer(source)
        if m.lastgroup != "blank"
    ]


def end_of_group(tokens, i):
    """The index of what closes the bracket at i."""
    depth = 0
    while True:
        depth += OPENS.get(tokens[i].text, 0)
        if depth == 0:
            return i
        i += 1


def functions(tokens):
    """(name, tokens of the body) of every function."""
    name, i = None, 0
    while i < len(tokens):
        text = tokens[i].text
        if text == "(":
            name = name or tokens[i - 1].text
            i = end_of_group(tokens, i)
        elif text == "{":
            end = end_of_group(tokens, i)
            if tokens[i - 1].text == ")":
                yield name, tokens[i + 1 : end]
            i, name = end, None
        elif text == ";":
            name = None
        i += 1


def up_to(tokens, i, stops):
    """The index of the first of stops at this depth, or of what closes it."""
    while i < len(tokens) and tokens[i].text not in stops and OPENS.get(tokens[i].text, 0) >= 0:
        i = end_of_group(tokens, i) + 1 if tokens[i].text in "([{" else i + 1
    return i


def middle_of_for(inner):
    first = up_to(inner, 0, ";")
    return inner[first + 1 : up_to(inner, first + 1, ";")]


def region_at(tokens, i):
    """The expression that the token at i begins, or None."""
    text, following = tokens[i].text, tokens[i + 1].text if i + 1 < len(tokens) else ""
    if text in ("if", "while", "for") and following == "(":
        inner = tokens[i + 2 : end_of_group(tokens, i + 1)]
        found = ("if", inner) if text == "if" else ("loop", middle_of_for(inner) if text == "for" else inner)
    elif text == "return":
        found = "return", tokens[i + 1 : up_to(tokens, i + 1, ";")]
    elif text in ("=", "|=", "&="):
        found = "value", tokens[i + 1 : up_to(tokens, i + 1, (",", ";"))]
    else:
        return None
    return Region(*found) if found[1] and all(t.text not in "{}" for t in found[1]) else None


def regions(body):
    """The expressions of a function's body that decide."""
    i, constant = 0, False
    while i < len(body):
        if body[i].text in (";", "{", "}"):
            constant = False
        constant = constant or body[i].text == "static"
        region = None if constant else region_at(body, i)
        if region:
            yield region
            while body[i].end <= region.tokens[-1].start:
                i += 1
        i += 1
