"""Token ids of several hundred strings for each kind of tokenizer.json: those of src/tokens, which a program prints, against second_tokenizer.py's."""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import make_tokenizers  # noqa: E402
import second_tokenizer  # noqa: E402

BY_HAND = [
    "", " ", "  ", "   ", "a", "Hello, world!", " leading", "trailing ", "two  blanks", "three   blanks", "tab\tand\t\ttabs", "line\nline", "line\r\nline", "\n", "\n\n\n",
    "a\n\n\nb", "  \n  b", "\n  indented\n    more", "\r\r\n\n\r", "blank before line end \nnext", "   \n", "a   \n\n   b", "\u00a0nbsp\u00a0", "\u3000wide blank", "\u2003em\u2009thin",
    "\x85next line\x85", "\x1cno blank\x1f", "\x00zero", "\x7f", "it's we'll I'M don'T you'Re we'VE he'd 'S", "it'\u017f", "'''", "'s", "''s", "o'clock d'or l'eau", "l'LL", "1", "12", "123",
    "1234", "12345", "123456789", "1 2 3", "3.14159", "1,000,000", "x1y22z333", "\u00bd cup", "\u2167 chapters", "x\u00b2+y\u00b3", "\u0661\u0662\u0663\u0664", "\u0967\u0968", "\u4e00\u4e8c\u4e09",
    "\u2460\u2461", "Caf\u00e9", "Cafe\u0301", "nai\u0308ve", "e\u0301\u0301\u0301", "\u0301alone", "A\u030a \u212b", "\ufb01 ligature", "\u1e9b\u0323", "stra\u00dfe STRASSE", "\u0130stanbul \u0131", "\u01c5 \u01c4",
    "\u4f60\u597d\uff0c\u4e16\u754c\u3002", "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3067\u3059\u3002", "\u30c7\u30fc\u30bf", "\ud55c\uad6d\uc5b4 \ubb38\uc7a5", "\u1112\u1161\u11ab", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u062c\u0645\u064a\u0644\u0629",
    "\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f", "\u05e2\u05d1\u05e8\u05d9\u05ea", "\u0939\u093f\u0928\u094d\u0926\u0940", "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", "\u10e5\u10d0\u10e0\u10d7\u10e3\u10da\u10d8", "\u0411\u043e\u043b\u044c\u0448\u043e\u0439 \u0442\u0435\u0430\u0442\u0440",
    "\u0395\u03bb\u03bb\u03b7\u03bd\u03b9\u03ba\u03ac \u03c2\u03c3", "\U0001f600", "\U0001f44d\U0001f3fd", "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", "a\U0001f600b", "\u2764\ufe0f", "\U0001f600\U0001f600\U0001f600",
    "\u200bzero width\u200d", "\ufeffbom", "\u2028sep\u2029", "\U00020000 \U0002a6d6", "\U0001d400\U0001d7d8", "\ue000 private", "\uffff", "\U0010ffff", "\u0378 unassigned", "!", "!!!", "...", "\u2026",
    " !", " !!\n", "!\n\n!", "a!b?c", "foo_bar __init__", "snake_case camelCase PascalCase", "C++20 && !x || ~y", "<html><body></body></html>", "{\"key\": [1, 2, {\"k\": null}]}",
    "https://example.org/a?b=c&d=e#f", "name@example.org", "$12.50 \u20ac9,99 \u00a33", "100% #1 @me", "\u00ab guillemets \u00bb", "\u201cquotes\u201d \u2018single\u2019", "em\u2014dash en\u2013dash", "(a) [b] {c}", "a/b\\c|d",
    "def f(x):\n    return x + 1\n", "\tif (a) {\n\t\tb();\n\t}\n", "for (int i = 0; i < 10; ++i)", "SELECT * FROM t WHERE a = 'b';", "# Heading\n\n- item\n- item\n\n```c\nint x;\n```\n",
    "|a|b|\n|---|---|\n", "a" * 40, "ab" * 30, " " * 33, "\n" * 17, "." * 50, "7" * 31, "aA" * 9, "the the the the", "kernel kernels Kernel KERNEL", "tensor contraction processor",
    "unreachable", " unreachable", "xyzzy", "xyzzyx", "a xyzzy", "word", "word word", "aword", "words", "a word b", "_word", "word.", "9word", "\u00e9word", "e\u0301word", "(word)",
    "<|begin_of_text|>", "<|end|>", "<|end|><|really|>", "<|end|><|reall", "<|end|><|end|>", "a<|end|>b", " <|end|> ", "<|end|", "<|", "<<|end|>>", "<tool>", "x<tool>y", "<tool> z", " <tool>",
    "<wide>", "a  <wide>  b", "<wide><wide>", " \n<wide>\n ", "  <wide>", "<wide>  ", "\u3000<wide>\u3000", "<s>", "</s>", "<unk>", "a<s>b", "<s> a", "<s><s>", "<start_of_turn>user\nhi", "<0x41>", "<0x0A>", "\u2581", "\u2581a",
    "a\u2581b", "\u2581\u2581", " \u2581 ", "caf\u00e9 \u2581 \u2581", "\u0120", "\u010a", "\u0120the", "\ufffd", "a\ufffdb", "Z\u0300\u0301\u0302\u0303", "\u1100\u1161\u11a8\uac01", "x\u0338=", "\u2126 \u03a9", "\u1fbe \u03b9",
    "a\u00adb", "\u0640\u0640", "\u06f1\u06f2\u06f3", "\u0e51\u0e52", "\uff11\uff12\uff13", "\uff21\uff22", "\u3131\u314f", "\ufdfa", "mixed \u4e2d\u6587 and \u0420\u0443\u0441 123\u0661",
]
RAW = [b"\xff", b"\xfe\xff", b"a\xffb", b"\xc3", b"\xc3(", b"\xe4\xbd", b"\xe4\xbdx", b"\xf0\x9f\x98", b"\xf0\x9f\x98x", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\x80\x80\x80",
       b"ok \xe2\x82\xac \xe2\x82", b"\xe2\x82\xe2\x82\xac", b"\xef\xbf\xbd\xff", b"\xe4\xbd\xa0\xff\xe5\xa5\xbd", b"\n\xff\n", b" \xff "]
CHARACTERS = ["a", "b", "e", "t", "h", "n", "T", "Z", "1", "7", " ", " ", "\n", "\r", "\t", ".", "'", "s", "l", "-", "_", "<", ">", "|", "\u00e9", "\u0301", "\u4e16", "\u0627", "\u0651", "\U0001f600", "\u200d", "\u00a0",
              "\u3000", "\u00bd", "\u0661", "\u2581", "\u0439", "\u0928", "\u093f"]


def texts():
    draw = random.Random(20)
    by_hand = [t.encode() for t in BY_HAND] + RAW
    drawn = ["".join(draw.choice(CHARACTERS) for _ in range(draw.randint(1, 24))).encode() for _ in range(120)]
    words = make_tokenizers.corpus().split(" ")
    sentences = [" ".join(words[at:at + draw.randint(2, 30)]).encode() for at in (draw.randrange(len(words) - 30) for _ in range(30))]
    return list(dict.fromkeys(by_hand + drawn + sentences))


def ids_to_decode(second):
    """Ids that no text gives: bytes that are no characters, specials in between, ids without a token."""
    draw = random.Random(21)
    last = max(second.tokens)
    out = [[last + 1], [last + 1000, 3, last + 1], [], [1], [1, 1, 2]]
    for _ in range(60):
        out.append([draw.choice([draw.randint(0, last), draw.randint(0, 300), draw.randint(0, 260)]) for _ in range(draw.randint(1, 12))])
    return out


def compare(program, name, file, words, folder):
    second = second_tokenizer.Second(file, words)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(file, ensure_ascii=name == "qwen2"), "utf-8")
    asked = texts()
    wanted = [(second.encode(t), second.encode(t, around=False)) for t in asked]
    backwards = [w[0] for w in wanted] + ids_to_decode(second)
    lines = [f"e {t.hex()}" for t in asked] + ["d " + ",".join(map(str, ids)) for ids in backwards]
    done = subprocess.run([program, path], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if done.returncode:
        return [f"{name}: {done.stderr.strip()}"]
    answers = done.stdout.split("\n")[:-1]
    if len(answers) != len(lines):
        return [f"{name}: {len(answers)} answers to {len(lines)} lines"]
    wrong = []
    for text, (with_specials, plain), answer in zip(asked, wanted, answers):
        expected = ",".join(map(str, with_specials)) + ";" + ",".join(map(str, plain))
        if answer != expected:
            wrong.append(f"{name}: {text!r} is {answer}, and the second implementation has {expected}")
    for ids, answer in zip(backwards, answers[len(asked):]):
        expected = second.decode(ids).encode().hex()
        if answer != f"{expected};{expected}":
            got = [bytes.fromhex(part).decode() for part in answer.split(";")]
            wrong.append(f"{name}: the ids {ids} are {got}, and the second implementation has {second.decode(ids)!r}")
    used = {i for w in wanted for i in w[0]}
    print(f"{name}: {len(asked)} texts, {len(backwards)} lists of ids, {sum(len(w[0]) for w in wanted)} tokens, {len(used)} different ones")
    # A test of nothing would be one whose texts were all cut into single bytes.
    if len(asked) < 200 or not any(len(second.tokens[i]) > 4 for i in used if i not in second.special):
        wrong.append(f"{name}: the texts do not reach the merges")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="tokens_by_line of this folder")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        wrong = []
        for name, (file, words) in make_tokenizers.all_kinds(second_tokenizer).items():
            wrong += compare(options.program, name, file, words, folder)
    for line in wrong[:30]:
        print(line)
    print(f"{len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
