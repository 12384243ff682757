"""Whether a full stop ends a sentence, by the words before and behind it: lists and their rules.

One list for some 25 languages, since a text may mix them and nobody tells which it is. So a word
that is ordinary in another large language counts only with a capital (``TITLES``: "red", "gem"),
only before a number ("no", "art"), or is left out where it would do more harm than good (Russian
"нем.", Spanish "mil"). `langchain_chunkers.sentences` finds the stops and decides all other cases.
"""

from __future__ import annotations

import re

__all__ = ["CLOSE", "HAN", "KINDS", "OPEN", "full_stop_ends", "is_han", "is_head", "starts"]

OPEN = "\"'“”‘’„‚«»‹›([{（「『【《〈〔¿¡*_-–—−•"
CLOSE = "\"'”’»›«)]}）】》〉」』〕｠｣*_`"
HAN = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

NEVER, TITLES, BEFORE_NUMBER, BEFORE_STARTER, BEFORE_CAPITAL, AFTER_NUMBER = 1, 2, 4, 8, 16, 32
# Lower case, without the last stop, inner blanks as "_"; in capitals where only these are meant.
_LISTS = {
    # No sentence ends here: titles and links, always followed by what they are about.
    NEVER: """
    abp approx bros capt cf cmdr cpl dr drs e.g eds eg esp excl i.e ibid incl messrs mr mrs pl prof
    pvt resp sgt str v viz vs
    abzgl bspw bzw d._h d.h dipl dott.ssa ehem einschl evtl exkl friedr frl geb gest ggf habil hl
    hrn hrsg i._d._r i.d.r ing inkl insb joh jur lt med nat o.ä phil rer s.o s.u sog u._a u.a v.a
    verh vgl wilh z._b z._t z.b z.t zzgl übers
    MM bd boul c.-à-d env mgr mme p._ex p.ex réf trad tél vve éd
    aprox arq avd avda cnel cta dpto dra dres dña ee ej gral lic mons p._ej p.ej profa sra sres srta
    sto tte ud uds vd vds
    ad_es avv cfr dott egr geom p._es p.es sig sig.na sig.ra sigg spett
    dras exma exmo ilmo pç srs séc
    a.u.b bijv bv d.w.z dhr evt i.p.v i.v.m m.a.w m.b.t mej mevr mw o.a ong t.a.v t.o.v z.g
    bp hab im inż kpt ks m.in mjr np por płk tj tzn tzw ul wg zob śp św
    cca judr mudr např nám paeddr phdr plk popř příp rndr sv tzv tř
    bkz doç m.s m.ö müh t.c yrd öğr örn arh bdul cpt d.ex de_ex dl şos șos
    BS GS PGS TP TS TX ths
    αγ αι βλ δηλ δρ κ καθ κκ λ.χ οδ π.χ πρβλ τηλ
    акад англ вул г-жа г-н гос гр греч див до_н доц инж інж ім лат наб напр нім пер пл пров просп
    проф ред св см ср т._е т._зв т._к т._н т.е т.зв т.к т.н ул фр
    ակադ դ դոկտ թ թթ հ պրոֆ ት.ቤት ዓ.ም ዓ.ዓ
    أ أ._د أ.د ب.م ت د ق.م م ه.ش ه.ق
    डा डॉ पं प्रो मो श्री सुश्री इं कि.मी सें.मी आई आर ई ए एच एन एफ एम एल एस ओ के क्यू जी जे टी डब्ल्यू डी पी
    बी यू वी सी
    ড ডা মো মোঃ প্রফেসর কি.মি আই আর ই ইউ এ এইচ এন এফ এম এল এস ও কে জি জে টি ডি পি বি ভি সি
    """,
    # No sentence ends here if the word is written with a capital.
    TITLES: """
    adm brig chas col ft gen geo gov hon lt maj ms mt pres rep rev sen st ste wm
    al av cap cad cel chr conf d dir doc dom ds eng fr gem hr hrs im ing ir jud lect mag mah me os
    pe pr red seb sf sn sok sr sta ten бул ген полк
    """,
    # A sentence ends here only before a word that often begins one.
    BEFORE_STARTER: """
    a.d a.m al assn ave b.a b.c b.c.e b.sc blvd c.e co corp d.c dept e.u esq inc jr llc ltd m.a m.d
    m.sc p.m ph.d plc rd sq u.k u.n u.s u.s.a univ им пр
    """,
    # A sentence ends here only before a capital.
    BEFORE_CAPITAL: """
    assoc cont elec equip govt intl misc natl prev spec tech temp
    a._c a._m a.c a.s a.ş aj apod apr._j.-c atd av._j.-c b.v cia cie cía d._c d.c d.hr e.a e.d e.u.a
    e.v ecc ee._uu ee.uu enz etc ff godz itd itp j.-c jh jhd ltda mio mln mrd n.chr n.e n.l n.v o.o
    p._m p.n.e př.n.l s.a s.l s.n.c s.p.a s.r.l s.r.o şti tis tys u.v.a u.v.m usw v.chr v.v vb yy
    zł î.hr ş.a ş.a.m.d șt ș.a ș.a.m.d
    α.ε ε.π.ε κ.ά κ.α κ.λπ κ.τ.λ κλπ μ.χ
    грн др коп млн млрд н._э н._е н.е н.э обл руб т._д т._п т.д т.п тис тыс чел ін
    إلخ الخ
    """,
    # No sentence ends here before a number or a single letter.
    BEFORE_NUMBER: """
    app apr art aug b c ca ch chap d dec ed eq eqs ex feb fig figs jan jul jun mar no nos nov oct
    op p par pp sec secs sect sep sept tab ver vol abb abs abschn anm aufl bl dez fn jg kap mär nr
    okt rn s ziff al avr déc févr janv juil n t tabl tel n.º nº núm pág págs artt cap d.lgs d.p.r
    lett nn num pag pagg sez afb blz hfdst mrt nrs ok pkt poz rozdz rys ust obr odst č čl čís böl md
    sf şek alin ap et sc h q tr số άρθρ αρ εικ κεφ πίν παρ σελ σχ τόμ
    буд вып гл д дод кв корп п пп прил рис с ст стр т табл тел էջ գլ նկ ج ش ص ط هـ पृ रु सं নং পৃ
    """,
    # A unit behind a number, where a sentence may end before a capital ("1837 г. Он"); behind a
    # word it is a title or a place ("в г. Москве").
    AFTER_NUMBER: "r w г гг в вв р рр",
}
KINDS: dict[str, int] = {}
"""The kinds of each abbreviation, as flags: one look-up a word."""
for _flag, _list in _LISTS.items():
    for _entry in _list.replace("_", "\0").split():
        _key = _entry.replace("\0", " ")
        KINDS[_key] = KINDS.get(_key, 0) | _flag


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that often begin a sentence and seldom follow an abbreviation.
_STARTERS = _words(
    """
    a after also although an and another are as at because before both but by despite during each
    for from he her here his how however i if in is it its many most my no nobody not now on once
    our several she since so some such that the their then there these they this those to today was
    we what when where which while who why with you your
    aber als am auf auch bei beim da damit danach dann das dem den denn der des die dies diese
    dieser dieses doch durch ein eine einen einer eines er es für hier ich ihr ihre im mit nach nun
    nur seine seit sie sowie trotz und von vor wenn wir während zu zum zur
    а он она они оно это этот эта его её их но в во на по при после однако так также как
    """
)
# Words that follow an ordinal written as a number with a stop.
_ORDINAL_RIGHT = _words(
    """
    januar jänner februar märz april mai juni juli august september oktober november dezember
    jahrhundert jahrhunderts jahrtausend etage kapitel klasse platz stock weltkrieg
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada
    grudnia stulecia wieku ledna února března dubna května června července srpna září října
    listopadu prosince století
    """
)
# German words before an ordinal; of the languages with such ordinals German alone writes capitals
# behind it. "am" is English too, so the word behind must be no starter ("I am 25. He").
_ORDINAL_LEFT = _words(
    """
    ab am bis das dem den der des die dieser diesem einem einen einer eines ihr ihre ihrem ihren
    ihrer im ins jede jeden jeder jedes seit sein seine seinem seinen seiner und vom zum zur
    """
)

_BACK = 40  # the last words: longer than any abbreviation and the number before it
_NEAR = 256  # where a stop of the script's own must be: a long sentence
_WORD = re.compile(r"[^\W\d_]+")
_HAN_LETTER = re.compile(f"[{HAN}]")
_HAN_OR_SIGN = re.compile(f"[{HAN}\u3001-\u3011\uff01-\uff1f]")
_NUMBERED = re.compile(r"[#(]?\d|[IVXLC]{2,}\b|[^\W\d_a-z]\b(?!['’]|\.\w| [a-z])")
_PAIR = re.compile(r"[^\W\d_]\.[\s\-]")  # the B. of "z. B."
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}[.\-]+){1,4}[^\W\d_]{1,3}")  # U.S, J.-P
_ELISION = re.compile("(?:[dlcsnjmt]|qu|un|(?:d|n|s|a)[aeu]?ll)['’]")  # l'art, dell'ing
_LETTER = re.compile("[A-Za-z가나다라마바사아자차카타파하]")  # of an item
_ROMAN = re.compile("[IVXLC]+")
_MONTH_DAY = re.compile(r"\d{1,2}\. ?\d")  # 2020. 10. 3.
_HEADS = tuple("!?:;…。！？：；။۔।")
_SCRIPTS = (  # first and last letter, stops of their own
    ("\u0530", "\u058f", "։"),
    ("\u0900", "\u09ff", "।॥"),
    ("\u0e00", "\u0eff", ""),
    ("\u1000", "\u109f", "။"),
    ("\u1200", "\u137f", "።፡"),
    ("\u1780", "\u17ff", "។៕"),
)


def is_han(character: str) -> bool:
    """Say whether it is a Chinese character or kana."""
    return character > "\u3004" and _HAN_LETTER.match(character) is not None


def starts(text: str, at: int) -> bool:
    """Say whether the next word is one that often begins a sentence."""
    word = _WORD.search(text, at, at + 24)
    if word is None or word.group().lower() not in _STARTERS:
        return False
    return text[word.end() : word.end() + 1] != "."  # J. A. Smith


def is_head(text: str, at: int) -> bool:
    """Say whether a sentence or line begins here, so that a number is that of an item."""
    ahead = text[max(0, at - _BACK) : at]
    kept = ahead.rstrip()
    if not kept or "\n" in ahead[len(kept) :]:
        return True
    if kept[-1] in CLOSE:
        kept = kept.rstrip(CLOSE)
    if kept[-1:] != ".":
        return kept[-1:] in _HEADS
    return kept.rsplit(None, 1)[-1][:-1].lower() not in KINDS


def full_stop_ends(text: str, stop: int, at: int) -> bool:
    """Decide whether one full stop ends a sentence, ``at`` being the next, with no small letter."""
    words = text[max(0, stop - _BACK) : stop].rsplit(None, 2)
    if not words:
        return False
    whole = words[-1]
    if whole[-1] > "\u052f" and _is_own(text, stop, whole[-1]):
        return False
    if not whole.isascii():
        whole = _HAN_OR_SIGN.split(whole)[-1]  # in 。2. too the number begins a word
    word = whole.lstrip(OPEN)
    if not word:
        return True
    previous = words[-2] if len(words) > 1 else ""
    roman = word[0] in "IVXLC" and _ROMAN.fullmatch(word) is not None
    if roman or word.isdecimal():
        item = len(word) < 4 and is_head(text, stop - len(whole))
        return not item and _number_ends(text, at, word, previous)
    if len(word) == 1 and is_head(text, stop - 1) and _LETTER.match(word):
        return False
    if len(word) < 6 and len(word) < len(whole) and word.islower() and whole[0] in "([":
        return False  # (vgl. Abb, (lat. Homo
    kind = _kind(word, previous)
    if kind:
        return _abbreviation_ends(text, at, kind, word, previous)
    if len(word) == 1 and word.isalpha():
        return _initial_ends(text, at, word, previous)
    return "." not in word or len(word) > 7 or not _DOTTED.fullmatch(word) or starts(text, at)


def _is_own(text: str, stop: int, last: str) -> bool:
    """Say whether a letter is of a script that ends its sentences with a stop of its own here.

    Hindi is also written with full stops throughout: then no danda is near.
    """
    for low, high, own in _SCRIPTS:
        if low <= last <= high:
            near = text[max(0, stop - _NEAR) : stop + _NEAR]
            return not own or own[0] in near or own[-1] in near
    return False


def _number_ends(text: str, at: int, word: str, previous: str) -> bool:
    """Tell a number at the end from an ordinal ("3. Oktober") and from a date ("2020. 10. 3.")."""
    if len(word) > 2 and word.isdecimal():
        return len(word) != 4 or _MONTH_DAY.match(text, at) is None
    behind = _WORD.match(text, at)
    if behind is None:
        return True
    if behind.group().lower() in _ORDINAL_RIGHT:
        return False
    if word == "I":
        return _initial_ends(text, at, word, previous)
    return previous.lower() not in _ORDINAL_LEFT or starts(text, at)


def _initial_ends(text: str, at: int, word: str, previous: str) -> bool:
    """Tell "vitamin C. Then" and "World War I. The" from "George W. Bush"."""
    if _PAIR.match(text, at):
        return False
    if not word.isupper():
        # Without capitals single letters are initials, but in Korean and Chinese they are words.
        return word.islower() or "가" <= word <= "힣" or is_han(word)
    return starts(text, at) and (word == "I" or (len(previous) > 2 and previous[-3:].islower()))


def _kind(word: str, previous: str) -> int:
    """Look up an abbreviation, also one of two words, behind an article, or in a compound."""
    lower = word.lower()
    if previous and len(lower) <= 4:
        kind = KINDS.get(f"{previous.lower().lstrip(OPEN)} {lower}")
        if kind:
            return kind
    kind = KINDS.get(lower) or KINDS.get(word, 0)
    if kind:
        return 0 if len(word) == 1 and word.isupper() and not kind & BEFORE_NUMBER else kind
    if "'" in lower or "’" in lower:
        elided = _ELISION.match(lower)
        return KINDS.get(lower[elided.end() :], 0) if elided else 0
    if "-" in lower:  # Lt.-Col
        return KINDS.get(lower.rpartition("-")[2], 0) & (NEVER | TITLES)
    if lower.endswith("str"):  # Hauptstr. 5
        return BEFORE_NUMBER
    return KINDS.get(lower[1:], 0) if lower[0] == "و" else 0


def _abbreviation_ends(text: str, at: int, kind: int, word: str, previous: str) -> bool:
    """Decide for a word of the lists."""
    head, capitals = text[at], word.isupper()
    if kind & BEFORE_NUMBER and _NUMBERED.match(text, at):
        return False
    if len(word) == 1 and capitals:
        return _initial_ends(text, at, word, previous)
    if _PAIR.match(text, at):
        return False
    if kind & AFTER_NUMBER:
        return head.isupper() and (previous[-1:].isdecimal() or bool(_ROMAN.fullmatch(previous)))
    if kind & NEVER:
        # "13.000 BP. Para" and "MS. It" are no titles.
        other = capitals and len(word) > 1 and word not in KINDS
        return other and (previous[-1:].isdecimal() or starts(text, at))
    if (kind & TITLES and word[0].isupper()) or (
        kind & BEFORE_STARTER and (capitals or not kind & BEFORE_CAPITAL)  # D.C. is not d.C.
    ):
        return starts(text, at)
    if kind & BEFORE_CAPITAL:
        # Arabic has no capitals: there all but a number will do.
        return head.isupper() or head in OPEN or (word[0] > "\u052f" and head.isalpha())
    return True
