"""Whether a patch in an answer is meant, as the words right above or below it say. Pure.

    Don't do this:                          it isn't: it is passed over
    The previous commit, for context:       it is only mentioned: nobody knows whether it is to be applied
    Option 2:                               it is one of several: beside others, nobody knows which

The words are looked at as a whole sentence, so that "Don't forget the test:" and "The last change:" mean what they say.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

_NOT = r"(?:don['’]?t|do not|never)"
_EDIT = (
    r"(?:patch|commit|diff|hunk|change|edit|call|attempt|fix|solution|version|approach|idea|pr|pull request|merge|block"
    r"|suggestion)"
)
_THIS = r"(?:this|it|that|these|them|the following|something like|as follows)"
_FORBIDDEN = (
    rf".*\b{_NOT}\s+(?:apply|run|use|do|make|try|commit|copy|merge|write)\s+{_THIS}\b|not like this\b",
    # "You could run this, but don't:", "Wrong:", "This diff is wrong:", "The last commit did this:"
    rf".*\bbut\s+(?:please\s+)?{_NOT}\W*$|(?:bad|wrong|incorrect)\W*$",
    rf"(?:this|that|the (?:following|next))(?: (?:{_EDIT}|command|code))? (?:is|was|would be) "
    r"(?:wrong|bad|incorrect|broken|not (?:right|correct|what|how))\b",
    r".*\b(?:last|previous|earlier|offending|bad|your|their) (?:commit|change|patch|pr|pull request|merge)\b"
    r"[^.]*\b(?:did|made|introduced|changed|was|had|broke)\b",
)
_TAKEN_BACK = (
    rf"\W*(?:please\s+)?(?:{_NOT}\s+(?:apply|run|use|do|commit|merge)|revert|undo)\s+(?:this|it|that|these|them)\b"
)
_HERE = r"(?:this is |here(?:['’]s| is) )?"
_FEW = r"(?:[ ,]+\w+){0,3}\W*$"  # words that may follow where a sentence is about the patch itself
_OTHERS = (
    r"(?:upstream|you|they|he|she|someone|somebody|git|copilot|the (?:\w+ )?"
    r"(?:reviewer|author|maintainers?|user|issue|docs|documentation|changelog|linter|team))"
)
_ASIDE = r"for (?:context|reference|illustration|comparison|background)"
_SOURCE = r"(?:docs|documentation|changelog|readme|manual|issue|internet|web|blog|commit|pr|stack ?overflow)"
_MENTIONED = (
    rf"{_ASIDE}\b|.*[,(–—-] ?(?:just |only )?{_ASIDE}(?: only)?\W*$",
    # "How not to do it:", "Don't:", "Instead of this:", "A common mistake:", "One might be tempted to write:"
    rf"(?:please\s+)?{_NOT}\s+(?!forget|worry|hesitate|miss\b|need)|avoid\b",
    rf".*\b(?:what|how) not to\b|(?:{_NOT}|not)\W*$|(?:instead of|rather than)(?: (?:this|that|the following))?\W*$",
    r"(?:\w+ )?a (?:common|typical|frequent) (?:mistake|error|pitfall)\b|(?:one|you) (?:might|may|could) be tempted\b",
    # "Your patch:", "The reviewer suggested:", "This is what upstream changed:", "The diff that you pasted:"
    rf"your (?:\w+ )?{_EDIT}(?: was| is)?\W*$",
    rf"(?:this is )?(?:what |how )?{_OTHERS}(?:['’]ve| have| had| has)? (?:\w+ )?(?:changed|did|made|merged|committed"
    rf"|fixed|solved|suggest(?:ed|s)|proposed|sent|posted|pasted|wrote|gave|shared|attached|rejected|tried|had|said){_FEW}",
    rf"{_HERE}the {_EDIT} (?:that )?{_OTHERS} (?:posted|pasted|sent|shared|attached|wrote|gave)\b|compare\b",
    # "The reverted commit:", "The upstream fix was:", "Here's the diff from the original PR:"; not "The first change:"
    r"(?:(?:the|my|our|their|an?|this (?:is|was) (?:my|the|an?)|here(?:['’]s| is) (?:the|my|an?)(?: diff from the)?) )?"
    r"(?:old|previous|earlier|prior|original|failing|failed|broken|bad|wrong|worse|naive|reverted|rejected|upstream"
    rf"|equivalent|offending|buggy|expected|reverse) {_EDIT}(?: looked like this\b.*|{_FEW})",
    rf"(?:\w+ ){{0,3}}(?:first|last|initial) (?:attempt|try|idea|commit|pr|pull request)(?: \([^)]*\))?{_FEW}",
    rf"(?:\w+ ){{0,2}}last (?:edit|call|patch|change) that\b|.*\ban? (?:old|previous|earlier) {_EDIT}{_FEW}",
    # "The change that broke it:", "The bug came in with this commit:", "It was already merged:"
    rf"{_HERE}the {_EDIT} (?:that|which) (?:introduced|broke|caused|failed)\b",
    rf"(?:this|that) broke{_FEW}",
    rf"(?:this|that|it|the {_EDIT}|on the .*|in version .*)(?: \w+)? (?:is|was|were|has been)(?: already)? (?:merged"
    rf"|committed|landed|released|shipped|rejected|reverted|done as|changed like){_FEW}",
    r".*\b(?:came in|introduced|broken|caused) (?:with|by|in)(?: this| that| the following)?(?: (?:commit|pr))?\W*$",
    # "Previously I wrote:", "I tried this first:", "This doesn't work:", "git apply rejected this hunk:"
    rf"(?:previously|earlier|originally|initially|last (?:time|week|month|year)|yesterday)\b{_FEW}",
    r"before (?:my|this|the|your) (?:change|fix|patch|edit)\b",
    r"i (?:\w+ )?(?:tried|considered|rejected|decided against|discarded|dismissed) (?:this|that|it|the following)\b",
    r"what i (?:tried|considered)\b",
    r"(?:this|that|it|the following)(?: \w+)? (?:won['’]?t|doesn['’]?t|does not|didn['’]?t|did not|will not|isn['’]?t"
    r"|is not|breaks|failed|fails)(?: \w+)?\W*$",
    r".*\bdoes(?:n['’]?t| not) apply any ?more\b|error applying\b|git (?:\w+ )?rejected\b",
    r"the (?:hunk|patch|diff) that (?:failed|was rejected)\b",
    # "To undo it:", "Commit 1f3a9c0 did this:", "In PR #42:", "From the docs:", "`git show` prints:"
    r"(?:how )?to (?:undo|revert|roll back|back out)\b|roll-?back(?: \w+)?\W*$|.*\b(?:apply|use|run) the reverse\b",
    rf"(?:in )?(?:commit|pr|pull request|issue) (?:#?\d+|[0-9a-f]{{6,40}})(?: did)?{_FEW}",
    rf"(?:from|as seen in) (?:the )?{_SOURCE}{_FEW}|quoting\b|(?:x|git \w+) (?:shows|prints|printed){_FEW}",
    rf"(?:on|in) (?:the )?(?:other|another|old) (?:branch|repository|project){_FEW}",
    r".*\bin (?:the|your|their|an?) (?:issue|ticket|pull request|pr|comment)(?: (?:is|was))\W*$",
    # "The bot's patch, which I rejected, was:", "Dana did this:", "That branch reads:", "What I sent was:"
    r"(?!i\b|we\b|(?:the )?(?:only|missing)\b).*\b(?:was|were|did|contained|opened|sent|wrote|gives"
    r"|says|reads|printed|reported)(?: (?:this|that|the following|as follows|like (?:this|so)|it this way))?\W*$",
    # "An edit like this would silently drop rows:", "This looks right, but hides the problem:", "Please don't:"
    r".*\bwould (?:have \w+ed|open|silently|hide|break|compile, but|introduce|lose|cause)\b|.*\bplease don['’]?t\W*$",
    r".*\b(?:which|it|and) (?:i rejected|turned out|broke|breaks|caused|was (?:a mistake|wrong|reverted))\b",
    r".*\b(?:approach|way|one-liner|fix|idea) (?:does(?:n['’]?t| not) work|is wrong|won['’]?t work)\b",
    r".*\bdoesn['’]?t work, ",
    # "A tempting but incorrect fix:", "Ignore my earlier suggestion:", "To illustrate the problem:", "### Anti-pattern"
    r".*\b(?:tempting|malicious|attacker['’]s|anti-?pattern|advise against|for the record|verbatim|superseded|outdated"
    r"|dummy|backport|not a real|historical)\b|❌|(?:please )?(?:ignore|discard|resist)\b|to illustrate\b",
    r".*\b(?:wrong|incorrect|bad) (?:way|fix|solution|approach|idea|patch)\b",
    r".*\b(?:output of|quoted|to reproduce)\b",
    r".*\b(?:you already have|already (?:applied|fixed|contains?|in your|updated)|no need to|reverse patch|undoing"
    r"|back (?:this|it) out|rolled back|disregard|failed to match|went wrong|historically|years ago|as a reminder)\b",
    r".*\(failed\)|.*\b(?:should (?:not|never) do|not recommend(?:ed)?|subtly (?:broken|wrong)|things worse|the symptom"
    r"|be a mistake|caused the failure|(?:i|i['’]ve since) reverted|example of the format|reintroduce)\b|history\W*$",
    # "Here's the relevant part of your diff:", "`git bisect` points to this commit:", "The regression came from this:"
    rf".*\b(?:in|of|with|at|reviewing|from) your (?:\w+ )?(?:{_EDIT}|message)\b",
    r".*\b(?:points to|came from|brought in|the culprit|introduced an?|generated this|reformatted)\b.*:\W*$",
    r".*\b(?:fixed|resolved|handled|solved|patched|done|landed) (?:on|in) (?:x|main|master|upstream|the [\w ]*"
    r"(?:client|fork|repo|repository|codebase|branch))\b|.*\b(?:mailing list|other repository|complained about)\b",
    # "Don't do this:", "Wrong:", "Instead of:" in German, French, Spanish, Portuguese, Russian, Chinese, Japanese and
    # Korean; not "Stattdessen:", "Вместо этого:", "修复错误：" (fix the error).
    r"(?:(?:\w+ ){0,3}(?:so (?:bitte )?nicht|das nicht|funktioniert nicht|ist falsch)|falsch|(?:an)?statt(?: so)?"
    r"|(?:bitte )?nicht (?:so|anwenden|verwenden|machen|übernehmen))\W*$",
    r"(?:n['’]|ne )(?:faites|fais|appliquez|applique|utilisez|utilise) pas\b|à ne pas faire\b|c['’]est faux\b"
    r"|(?:faux|mauvais|incorrect|au lieu de(?: ceci| cela)?)\W*$",
    r"no (?:hagas|haga|apliques|aplique|uses|use) (?:esto|eso)\b|(?:esto|eso) está mal\b"
    r"|(?:incorrecto|mal|en (?:lugar|vez) de(?: esto)?)\W*$",
    r"não (?:faça|aplique|use) (?:isto|isso)\b|(?:isto|isso) está errado\b"
    r"|(?:errado|incorreto|em vez de(?: isto| isso)?)\W*$",
    r"не (?:делайте|применяйте|используйте)(?: так| это)?\W*$|(?:это )?(?:неправильно|неверно)\W*$|вместо\W*$",
    r"(?:请)?不要(?:这样|这么|应用|使用|采用)|错误(?:的?(?:写法|做法|示例|例子|方式))?\W*$|这(?:样)?是错(?:误)?的|而不是\W*$",
    r".{0,20}(?:しないでください|間違いです)|(?:悪い例|誤り|間違い)\W*$",
    r".{0,12}(?:하지 마세요|하지 마십시오)|(?:잘못된 (?:예|방법)|틀림)\W*$",
)
# "The previous patch missed a case, here's the corrected one:", "I tried this and it works:"
_MEANT = (
    r"\b(?:correct(?:ed|ion)?|updated|new|revised|improved|the fixed|complete|full|final|again|works|now|let['’]?s"
    r"|let me)\b"
)
_OPTIONAL = (
    r"\(?optional(?:ly)?\b|alternative|.*\b(?:alternatively|an alternative)\b|or\b|consider\b|hypothetically\b",
    r".*\banother (?:way|option|possibility|approach|solution|version|idea)\b",
    r"(?:option|variant|possibility|choice|method|plan|solution|approach|version) (?:#?\d|[a-h]\b|one\b|two\b|three\b)",
    # "If you use Windows, apply this:", "For older versions:", "You could also do:", "A cleaner way would be:"
    r"(?:if|in case|unless|when) (?:you|your|the above|that|this|it|something)\b.*:\W*$",
    r".*\bif you (?:have|want|need|prefer|like)\b|for (?:older|newer|other|windows|linux|macos)\b.*:\W*$",
    r".*\byou (?:can|could|may|might) (?:also|want|alternatively|instead|consider)\b|.*\bas a follow-?up\b",
    r".*\bcould also be\b|.*\b(?:cleaner|simpler|better|nicer|shorter|safer|naive|more \w+) \w+ (?:would|could) be\b",
    # "Later, you may:", "Not part of this change:"
    r"later,? (?:you|we)\b|in (?:a|the) (?:future|next (?:release|version))\b|next steps\b|todo\b|out of scope\b",
    r"not (?:needed|required|(?:strictly )?necessary)\b|.*\bnot part of\b",
    # "### Bonus", "Only for macOS:", "Should you prefer dataclasses:", "You might add a retry:", "Use this one if …"
    r"(?:bonus|extra credit|nice to have|nit|tip|suggestion|either|only (?:needed )?(?:if|for)|should you|depending on"
    r"|maybe|going further|future|also possible|possible|quick fix|proper fix|to be discussed|would you like)\b",
    r".*\b(?:you could|you (?:might|may) (?:add|prefer|make|be)|one (?:could|might)|two ways|choose one|up to you)\b",
    r"one possible (?:way|solution)\b|if so\b|should (?:this|that|it)\b|(?:for|to) debug|further suggestions\b",
    r"if (?:the |your )?\w+(?: \w+)? (?:persists|matters|becomes|is an? \w+)\b.*:\W*$",
    r"(?:as )?(?:an?|the) (?:\w+ ){0,2}(?:alternative|workaround)\b|.*\b(?:stopgap|isn['’]t required)\b",
    r".*\b(?:more \w+|simpler|cleaner|shorter) version\W*$",
    r"(?:use|choose|pick|apply) (?:this|that|the following)(?: one)?(?: instead)? if\b|.*\bshould you prefer\b",
    r".*\b(?:feel free|let me know if|skip this|take it or leave it|separate (?:pr|commit|patch)|down the road"
    r"|eventually|worth considering|equally valid|didn['’]?t ask for|haven['’]?t (?:included|tested)|in the event)\b",
    r".*\b(?:optional extra|other choice|second (?:approach|option|suggestion)|workaround is|for later|as well, i)\b",
)


@cache
def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all. Those that may begin anywhere share one walk over the sentence: `.*\\b(?:a|b)`."""
    parts, depth = [""], 0
    for piece in re.findall(r"\\.|\[(?:\\.|[^]])*]|[()|]|[^\\[()|]+", "|".join(patterns)):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    anywhere = [part.removeprefix(r".*\b") for part in parts if part.startswith(r".*\b")]
    others = [part for part in parts if not part.startswith(r".*\b")]
    return re.compile("|".join([*others, rf".*\b(?:{'|'.join(anywhere)})"]), re.IGNORECASE)


@lru_cache(maxsize=256)
def is_forbidden(text: str) -> bool:
    """Whether words above a block forbid what it does: "Don't do this:", "Wrong:"."""
    last = re.split(r"(?<=[.!?])\s+", text.strip().lstrip("#*_-> \t"))[-1]
    return bool(last) and _any(_FORBIDDEN).match(last) is not None


def is_taken_back(lines: list[str], row: int) -> bool:
    """Whether the first words behind a row forbid the block that ends there: "Please revert it."."""
    below = next((line for line in lines[row : row + 3] if line.strip()), "")
    return below.lstrip(" *_")[:1].isalpha() and re.match(_TAKEN_BACK, below, re.IGNORECASE) is not None


@lru_cache(maxsize=256)
def is_mentioned(text: str) -> bool:
    """Whether words above a patch only speak of it: it was made before, by others, or is shown to compare with."""
    last = _last_sentence(text)
    return re.search(_MEANT, last, re.IGNORECASE) is None and _any(_MENTIONED).match(last) is not None


@lru_cache(maxsize=256)
def is_optional(text: str) -> bool:
    """Whether words above a patch leave it to the reader, or to what else is the case."""
    return _any(_OPTIONAL).match(_last_sentence(text)) is not None


def _last_sentence(text: str) -> str:
    """The last sentence of a paragraph, with an x for all that is in backticks."""
    bare = re.sub(r"`[^`]*`", " x ", text).strip().lstrip("#*_->( \t0123456789.)")
    return " ".join(re.split(r"(?<=[.!?])\s+|(?<=[。！？])(?=\S)", bare)[-1].split())
