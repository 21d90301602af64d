"""What may be changed in an expression, each change alone, and the source with all of them to be chosen from at run time."""

import collections

from c_source import functions, regions, tokens_of

FLIPS = {"==": ("!=",), "!=": ("==",), "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "&&": ("||",), "||": ("&&",)}
CONSTANTS = {"0": "1", "1": "0", "true": "false", "false": "true"}
BEFORE_A_NOT = ("(", "&&", "||", "!", "?", ":", ",")

Mutant = collections.namedtuple("Mutant", "number file line region before after")


def text_of(source, tokens):
    return source[tokens[0].start : tokens[-1].end]


def replaced(source, region, first, last, by):
    """The region's text with the tokens first to last replaced."""
    start, end = region.tokens[0].start, region.tokens[-1].end
    return source[start : region.tokens[first].start] + by + source[region.tokens[last].end : end]


def changes_of_tokens(source, region):
    for i, token in enumerate(region.tokens):
        for other in FLIPS.get(token.text, ()):
            yield token.line, replaced(source, region, i, i, other)
        if token.text == "!" and (i == 0 or region.tokens[i - 1].text in BEFORE_A_NOT):
            yield token.line, replaced(source, region, i, i, "")


def changes_of_constant(region):
    """`return -ENOMEM` stays: no test runs out of memory."""
    words = [t.text for t in region.tokens]
    if len(words) == 1 and words[0] in CONSTANTS:
        yield region.tokens[0].line, CONSTANTS[words[0]]
    elif len(words) == 2 and words[0] == "-" and words[1] != "ENOMEM" and (words[1][0] == "E" or words[1].isdigit()):
        yield region.tokens[0].line, "0"


def changes(source, region):
    """(line, the region's text after the change) for each."""
    found = list(changes_of_tokens(source, region))
    if region.kind == "return":
        found += changes_of_constant(region)
    if region.kind == "if" and not found:
        found.append((region.tokens[0].line, f"!({text_of(source, region.tokens)})"))
    return found


def mutants_of(file, source, wanted, first):
    """Every mutant of the wanted functions, numbered from first on."""
    found = []
    for name, body in functions(tokens_of(source)):
        if name not in wanted:
            continue
        for region in regions(body):
            before = text_of(source, region.tokens)
            for line, after in changes(source, region):
                found.append(Mutant(first + len(found), file, line, region, before, after))
    return found


def alone(source, mutant):
    """The source with this one change."""
    tokens = mutant.region.tokens
    return source[: tokens[0].start] + mutant.after + source[tokens[-1].end :]


def choice(region, before, mutants):
    """The region with a choice between its mutants; on as many lines as before, so that messages name the right one."""
    value = "!!" if region.kind in ("if", "loop") else ""
    rows = [f"MUTANT({m.number}) ? {value}({' '.join(m.after.split())}) : " for m in mutants]
    return f"({''.join(rows)}{value}({before}))"


def with_choices(source, mutants):
    by_place = {}
    for mutant in mutants:
        by_place.setdefault(mutant.region.tokens[0].start, []).append(mutant)
    for start in sorted(by_place, reverse=True):
        region, before = by_place[start][0].region, by_place[start][0].before
        source = source[:start] + choice(region, before, by_place[start]) + source[region.tokens[-1].end :]
    return source
