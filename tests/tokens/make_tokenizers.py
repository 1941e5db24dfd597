"""Small files of every kind of tokenizer.json, trained on the project's own pages: each has the form of a published one, and none of its contents.

`file["template"]` and `file["strips"]` are for second_tokenizer.py, which does not read post-processors and decoders by itself; readers of the format ignore them.
"""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LLAMA_3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN_2 = LLAMA_3.replace(r"\p{N}{1,3}", r"\p{N}")
MORE = "Żółć niño straße Ελληνικά русский язык 你好世界 日本語のテキスト 한국어 العربية हिन्दी ไทย 👍🏽 👨‍👩‍👧 café naïve e\u0301 1234567890 ½ Ⅷ ²³ don't we'll I'M it's"


def corpus():
    pages = "".join((ROOT / "docs" / name).read_text("utf-8") for name in ("architecture.md", "llama.md", "package.md"))
    return pages + (MORE + "\n") * 6


def train(words, alphabet, merges):
    """BPE: the pair that is met most often, again and again; of equals the first in the order of texts."""
    counts = collections.Counter(tuple(w) for w in words)
    vocabulary, made = list(alphabet), []
    while len(made) < merges:
        pairs = collections.Counter()
        for word, n in counts.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        made.append(best)
        if best[0] + best[1] not in vocabulary:
            vocabulary.append(best[0] + best[1])
        joined = collections.Counter()
        for word, n in counts.items():
            out, i = [], 0
            while i < len(word):
                if word[i:i + 2] == best:
                    out.append(best[0] + best[1])
                    i += 2
                else:
                    out.append(word[i])
                    i += 1
            joined[tuple(out)] += n
        counts = joined
    return vocabulary, made


def added(content, number, special=True, **fields):
    return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": not special, "special": special, **fields}


def file_of(model, added_tokens, normalizer, pre_tokenizer, post_processor, decoder, template=((), ()), strips=False):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens, "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
            "post_processor": post_processor, "decoder": decoder, "model": model, "template": [list(t) for t in template], "strips": strips}


def template_of(token, number):
    return {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": token, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [], "special_tokens": {token: {"id": token, "ids": [number], "tokens": [token]}}}


def byte_level(second, words, pattern, normalizer, ignore_merges, pairs, with_template, merges=700):
    """`pairs`: merges as lists, as younger files have them."""
    cut = ["".join(second.byte_characters()[b] for b in word.encode()) for word in second.words_of(corpus(), words)]
    vocabulary, made = train(cut, sorted(second.byte_characters().values()), merges)
    if ignore_merges:  # tokens that no merge reaches
        vocabulary += ["Ġunreachable", "xyzzy"]
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": None, "fuse_unk": False,
             "byte_fallback": False, "ignore_merges": ignore_merges, "vocab": {t: i for i, t in enumerate(vocabulary)},
             "merges": [list(m) for m in made] if pairs else [" ".join(m) for m in made]}
    n = len(vocabulary)
    tokens = [added("<|begin_of_text|>", n), added("<|end|>", n + 1), added("<|end|><|really|>", n + 2), added("<tool>", n + 3, special=False, normalized=False),
              added("<wide>", n + 4, lstrip=True, rstrip=True), added("word", n + 5, special=False, single_word=True, normalized=True)]
    bytes_only = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": pattern is None}
    cutter = bytes_only if pattern is None else {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}, bytes_only]}
    around = {"type": "Sequence", "processors": [bytes_only, template_of("<|begin_of_text|>", n)]} if with_template else bytes_only
    return file_of(model, tokens, normalizer, cutter, around, bytes_only, ([n], []) if with_template else ((), ()))


def sentence_piece_vocabulary(split):
    text = corpus().replace(" ", "\u2581")
    words = re.findall(r"\u2581?[^\u2581\n]+|\u2581|\n", text) if split else re.findall(r"\u2581*[^\u2581\n]+|\u2581+|\n", text)
    # Rare characters have no token: their bytes stand for them.
    common = sorted(c for c, n in collections.Counter(text).items() if n > 12)
    kept = [w for w in words if all(c in common for c in w)]
    return train(kept, ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *common, "\u2581\u2581", "\u2581\u2581\u2581\u2581"], 600)


SENTENCE_DECODER = [{"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]
STRIPPED = [*SENTENCE_DECODER, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]


def sentence_piece(form):
    """`llama2`: a normalizer prepends; `mistral`: Metaspace does so, once; `gemma`: nothing does."""
    vocabulary, made = sentence_piece_vocabulary(form != "llama2")
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": True,
             "byte_fallback": True, "ignore_merges": False, "vocab": {t: i for i, t in enumerate(vocabulary)}, "merges": [list(m) for m in made]}
    tokens = [added(t, i) for i, t in enumerate(("<unk>", "<s>", "</s>"))] + [added("<start_of_turn>", len(vocabulary))]
    mark = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
    normalizer = {"llama2": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u2581"}, mark]}, "mistral": None, "gemma": mark}[form]
    cutter = {"llama2": None, "mistral": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": False},
              "gemma": {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}}[form]
    decoder = {"type": "Sequence", "decoders": SENTENCE_DECODER if form == "gemma" else STRIPPED}
    return file_of(model, tokens, normalizer, cutter, template_of("<s>", 1), decoder, ([1], []), form != "gemma")


def without_bytes():
    """BPE of characters without tokens for bytes: what is unknown is one <unk>."""
    file = sentence_piece("gemma")
    file["model"]["byte_fallback"] = False
    return file


def unigram():
    vocabulary, _ = sentence_piece_vocabulary(True)
    text = corpus().replace(" ", "\u2581")
    # Multiples of 1/1024: sums are exact, and equal ways are equal in whatever order they are summed.
    rows = [[t, -20.0 if t.startswith("<") and t.endswith(">") else round((-12 + len(t) * 1.37 + min(text.count(t), 900) / 311) * 1024 - i) / 1024]
            for i, t in enumerate(vocabulary)]
    model = {"type": "Unigram", "unk_id": 0, "vocab": rows, "byte_fallback": True}
    cutter = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    tokens = [added(t, i) for i, t in enumerate(("<unk>", "<s>", "</s>"))]
    return file_of(model, tokens, None, cutter, template_of("<s>", 1), {"type": "Sequence", "decoders": STRIPPED}, ([1], []), True)


def all_kinds(second):
    """name -> (file, the words that its regular expression finds)"""
    return {
        "gpt2": (byte_level(second, "gpt2", None, None, False, False, False), "gpt2"),
        "llama3": (byte_level(second, "llama3", LLAMA_3, None, True, False, True), "llama3"),
        "qwen2": (byte_level(second, "qwen2", QWEN_2, {"type": "NFC"}, False, True, False), "qwen2"),
        "llama2": (sentence_piece("llama2"), None),
        "mistral": (sentence_piece("mistral"), None),
        "gemma": (sentence_piece("gemma"), None),
        "without_bytes": (without_bytes(), None),
        "unigram": (unigram(), None),
    }
