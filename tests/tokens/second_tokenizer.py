"""A tokenizer.json read a second time, by other means than src/tokens: Python's own tables of Unicode, words found by hand-written scanners in the place of
regular expressions, merges by looking through the whole list again after each one, added tokens by trying them all at every place. Slow, and short enough to be
read against the description of the format. It knows the files that make_tokenizers.py writes, and nothing more.
"""
import functools
import unicodedata

# White_Space of Unicode; str.isspace() has four controls more.
WHITE_SPACE = set("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}


def is_letter(c):
    return unicodedata.category(c)[0] == "L"


def is_number(c):
    return unicodedata.category(c)[0] == "N"


def is_space(c):
    return c in WHITE_SPACE


def is_word(c):
    """\\w: alphabetic characters have no table in Python; of what tests write here, letters, marks and letter-like numbers are all."""
    return unicodedata.category(c)[0] in "LM" or unicodedata.category(c) in ("Nd", "Nl", "Pc") or c in "\u200c\u200d"


def run(text, at, test, most=None):
    """Where a run of such characters ends."""
    end = at
    while end < len(text) and test(text[end]) and (most is None or end - at < most):
        end += 1
    return end


def contraction(text, at, any_case):
    """'s and its like. Without case the long s (U+017F) is an s, too."""
    rest = text[at:at + 3].replace("\u017f", "s").lower() if any_case else text[at:at + 3]
    for ending in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d"):
        if rest.startswith(ending):
            return at + len(ending)
    return at


def spaces(text, at):
    """The last two alternatives: a run of blanks without the last if something follows it, or else the run."""
    end = run(text, at, is_space)
    return end - 1 if end < len(text) and end - at > 1 else end


def symbol(c):
    return not is_space(c) and not is_letter(c) and not is_number(c)


def gpt2_word(text, at):
    end = contraction(text, at, False)
    if end > at:
        return end
    start = at + 1 if text[at] == " " else at
    for test in (is_letter, is_number, symbol):
        end = run(text, start, test)
        if end > start:
            return end
    return spaces(text, at)


def llama3_word(text, at, most_digits=3):
    end = contraction(text, at, True)
    if end > at:
        return end
    # One character in front that is no line end, letter or digit; then letters.
    start = at + 1 if text[at] not in "\r\n" and not is_letter(text[at]) and not is_number(text[at]) else at
    end = run(text, start, is_letter)
    if end > start:
        return end
    end = run(text, at, is_number, most_digits)
    if end > at:
        return end
    start = at + 1 if text[at] == " " else at
    end = run(text, start, symbol)
    if end > start:
        return run(text, end, lambda c: c in "\r\n")
    # Blanks up to the last line end among them.
    end = run(text, at, is_space)
    lines = [i for i in range(at, end) if text[i] in "\r\n"]
    return lines[-1] + 1 if lines else spaces(text, at)


WORDS = {"gpt2": gpt2_word, "llama3": llama3_word, "qwen2": functools.partial(llama3_word, most_digits=1)}


def words_of(text, kind):
    out, at = [], 0
    while at < len(text):
        end = WORDS[kind](text, at)
        out.append(text[at:end])
        at = end
    return out


@functools.lru_cache
def byte_characters():
    kept = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in kept]
    return {**{b: chr(b) for b in kept}, **{b: chr(256 + i) for i, b in enumerate(others)}}


class Second:
    """`words` names the scanner that the file's regular expression stands for; None: the SentencePiece kind."""

    def __init__(self, file, words):
        self.words, self.file, self.model = words, file, file["model"]
        self.pieces = None
        if self.model["type"] == "Unigram":
            self.vocabulary = {token: i for i, (token, _) in enumerate(self.model["vocab"])}
            self.pieces = dict(self.model["vocab"])
        else:
            self.vocabulary = self.model["vocab"]
            pairs = [tuple(m.split(" ")) if isinstance(m, str) else tuple(m) for m in self.model["merges"]]
            self.ranks = {pair: i for i, pair in enumerate(pairs)}
        self.tokens = {i: t for t, i in self.vocabulary.items()}
        self.tokens.update((t["id"], t["content"]) for t in file["added_tokens"])
        self.special = {t["id"] for t in file["added_tokens"] if t["special"]}

    # --- text to ids

    def encode(self, data, around=True):
        text = data.decode("utf-8", errors="replace")
        raw = [(t["content"], t) for t in self.file["added_tokens"] if not t["normalized"]]
        late = [(self.normal(t["content"]), t) for t in self.file["added_tokens"] if t["normalized"]]
        ids = []
        for begin, part in self.cut_added(text, raw):
            if isinstance(part, int):
                ids.append(part)
                continue
            for inner, rest in self.cut_added(self.normal(part), late):
                ids += [rest] if isinstance(rest, int) else [i for piece in self.cut(rest, begin == 0 and inner == 0) for i in self.model_ids(piece)]
        template = self.file.get("template", ([], []))
        return template[0] + ids + template[1] if around else ids

    @staticmethod
    def cut_added(text, tokens):
        """(where, id or text): of the tokens that begin first the longest."""
        out, done, at = [], 0, 0
        while at < len(text):
            here = [(len(content), token) for content, token in tokens if text.startswith(content, at)]
            if not here:
                at += 1
                continue
            length, token = max(here, key=lambda h: h[0])
            begin, end = at, at + length
            at = end
            if token["single_word"] and ((begin > 0 and is_word(text[begin - 1])) or (end < len(text) and is_word(text[end]))):
                continue
            while token["lstrip"] and begin > done and is_space(text[begin - 1]):
                begin -= 1
            while token["rstrip"] and end < len(text) and is_space(text[end]):
                end += 1
            if done < begin:
                out.append((done, text[done:begin]))
            out.append((begin, token["id"]))
            done = at = end
        if done < len(text):
            out.append((done, text[done:]))
        return out

    def normal(self, text):
        kind = self.file["normalizer"] and self.file["normalizer"]["type"]
        if kind == "NFC":
            return unicodedata.normalize("NFC", text)
        if kind == "Replace":
            return text.replace(" ", "\u2581")
        if kind == "Sequence":
            return "\u2581" + text.replace(" ", "\u2581") if text else text
        return text

    def cut(self, text, first):
        if self.words:
            return ["".join(byte_characters()[b] for b in word.encode()) for word in words_of(text, self.words)]
        cutter = self.file["pre_tokenizer"]
        if not cutter or cutter["type"] != "Metaspace":
            return [text] if text else []
        text = text.replace(" ", "\u2581")
        if not text.startswith("\u2581") and (cutter["prepend_scheme"] == "always" or (cutter["prepend_scheme"] == "first" and first)):
            text = "\u2581" + text
        if not cutter["split"]:
            return [text]
        out = []
        for c in text:  # a mark begins a piece
            if c == "\u2581" or not out:
                out.append(c)
            else:
                out[-1] += c
        return out

    def model_ids(self, piece):
        return self.unigram(piece) if self.pieces is not None else self.bpe(piece)

    def fallback(self, text):
        """The tokens of the bytes, or the unknown one."""
        names = [f"<0x{b:02X}>" for b in text.encode()]
        if self.model["byte_fallback"] and all(n in self.vocabulary for n in names):
            return [self.vocabulary[n] for n in names]
        return None

    def bpe(self, piece):
        if self.model["ignore_merges"] and piece in self.vocabulary:
            return [self.vocabulary[piece]]
        parts = []
        for c in piece:
            if c in self.vocabulary:
                parts.append(c)
                continue
            names = [f"<0x{b:02X}>" for b in c.encode()]
            if self.model["byte_fallback"] and all(n in self.vocabulary for n in names):
                parts += names
            elif not (self.model["fuse_unk"] and parts and parts[-1] is None):
                parts.append(None)
        while True:
            best = min(((self.ranks[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in self.ranks), default=None)
            if best is None:
                break
            parts[best[1]:best[1] + 2] = [parts[best[1]] + parts[best[1] + 1]]
        return [self.vocabulary[self.model["unk_token"] if p is None else p] for p in parts]

    def unigram(self, piece):
        """The likeliest way to each place, by asking which token can be its last; of equals the longest. Scores are such that sums are exact."""
        unknown = min(self.pieces.values()) - 10

        @functools.lru_cache(None)
        def best(end):
            if end == 0:
                return 0.0, ()
            ways = [(best(begin)[0] + self.pieces[piece[begin:end]], -begin) for begin in range(end) if piece[begin:end] in self.pieces]
            if piece[end - 1] not in self.pieces:
                ways.append((best(end - 1)[0] + unknown, 1 - end))
            score, begin = max(ways)
            return score, (*best(-begin)[1], piece[-begin:end])

        for end in range(len(piece)):  # the shorter first: recursion stays shallow
            best(end)
        out, lost = [], ""
        for token in [*best(len(piece))[1], None]:
            if token is not None and token not in self.pieces:
                lost += token
                continue
            if lost:
                out += self.fallback(lost) or [self.model["unk_id"]]
                lost = ""
            if token is not None:
                out.append(self.vocabulary[token])
        return out

    # --- ids to text

    def decode(self, ids):
        tokens = [self.tokens.get(i) for i in ids if i not in self.special]
        if self.words:
            bytes_of = {c: b for b, c in byte_characters().items()}
            data = b""
            for t in tokens:
                if t is None:
                    data += "\ufffd".encode()
                elif all(c in bytes_of for c in t):
                    data += bytes(bytes_of[c] for c in t)
                else:
                    data += t.encode()
            return data.decode("utf-8", errors="replace")
        runs = []  # bytes that belong together, and texts
        for t in tokens:
            if t is not None and len(t) == 6 and t.startswith("<0x") and t.endswith(">"):
                if not runs or isinstance(runs[-1], str):
                    runs.append(b"")
                runs[-1] += bytes([int(t[3:5], 16)])
            else:
                runs.append("\ufffd" if t is None else t.replace("\u2581", " "))
        text = "".join(r if isinstance(r, str) else self.each_byte(r) for r in runs)
        return text[1:] if self.file["strips"] and text.startswith(" ") else text

    @staticmethod
    def each_byte(data):
        """One U+FFFD for each byte that belongs to no character."""
        out = ""
        while data:
            for length in range(min(4, len(data)), 0, -1):
                try:
                    out += data[:length].decode()[0]
                    data = data[len(out[-1].encode()):]
                    break
                except UnicodeDecodeError:
                    continue
            else:
                out, data = out + "\ufffd", data[1:]
        return out
