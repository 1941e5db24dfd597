"""A language server as an editor has it: JSON-RPC over its standard input and output.

One process serves all questions; it is killed if it answers nothing for SECONDS.
"""
import json
import os
import pathlib
import select
import subprocess
import time

SECONDS = 60


def edited(text, edits):
    """The text after these edits, whose places are those of the text before all of them."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def offset(place):
        return starts[place["line"]] + place["character"]

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


class LanguageServer:
    def __init__(self, command, folder, language):
        self.folder = pathlib.Path(folder).resolve()
        self.name = pathlib.Path(command[0]).name
        self.language = language
        self.process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.pending = b""
        self.published = {}  # (uri, version) -> diagnostics
        self.versions = {}
        self.texts = {}
        self.request("initialize", {
            "processId": os.getpid(),
            "rootUri": self.folder.as_uri(),
            "capabilities": {"textDocument": {
                "completion": {"completionItem": {"snippetSupport": False}},
                "hover": {"contentFormat": ["plaintext"]},
                "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
            }},
        })
        self.notify("initialized", {})

    def close(self):
        self.process.kill()
        self.process.communicate()

    # Texts. Positions are (line, column) from 1, as editors show them.

    def open(self, path, text):
        """Shows the server a text as the content of the file, and returns its diagnostics."""
        uri = pathlib.Path(path).as_uri()
        version = self.versions.get(uri, 0)
        if self.texts.get(uri) == text:  # a text that stays the same is not read again, and nothing is said of it
            return self.published[(uri, version)]
        version += 1
        self.versions[uri] = version
        self.texts[uri] = text
        if version == 1:
            self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": self.language, "version": version, "text": text}})
        else:
            self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]})
        end = time.monotonic() + SECONDS
        while (uri, version) not in self.published:
            self.read_message(end)
        return self.published[(uri, version)]

    def ask(self, method, path, line, column, **more):
        place = {"textDocument": {"uri": pathlib.Path(path).as_uri()}, "position": {"line": line - 1, "character": column - 1}}
        return self.request(f"textDocument/{method}", {**place, **more})

    def hover(self, path, line, column):
        answer = self.ask("hover", path, line, column)
        return answer["contents"]["value"] if answer else ""

    def completions(self, path, line, column):
        """What is offered, without what clangd itself would have to guess."""
        answer = self.ask("completion", path, line, column)
        return [item.get("filterText", item["label"]).strip() for item in answer["items"]]

    def definition(self, path, line, column):
        """(path, line, column) of each."""
        found = self.ask("definition", path, line, column) or []
        return [(pathlib.Path(d["uri"].removeprefix("file://")), d["range"]["start"]["line"] + 1, d["range"]["start"]["character"] + 1)
                for d in ([found] if isinstance(found, dict) else found)]

    def renamed(self, path, line, column, name, text):
        """The text with the thing at the place called by another name; complains if other files would change."""
        changes = self.ask("rename", path, line, column, newName=name)["changes"]
        assert list(changes) == [pathlib.Path(path).as_uri()], f"other files change, too: {list(changes)}"
        return edited(text, changes[pathlib.Path(path).as_uri()])

    # The wire.

    def request(self, method, parameters):
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": parameters})
        end = time.monotonic() + SECONDS
        while True:
            message = self.read_message(end)
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def notify(self, method, parameters):
        self.send({"method": method, "params": parameters})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def read_message(self, end):
        while True:
            head, separator, rest = self.pending.partition(b"\r\n\r\n")
            if separator:
                length = int(head.split(b"Content-Length:")[1].split(b"\r\n")[0])
                if len(rest) >= length:
                    self.pending = rest[length:]
                    message = json.loads(rest[:length])
                    if message.get("method") == "textDocument/publishDiagnostics":
                        self.published[(message["params"]["uri"], message["params"].get("version"))] = message["params"]["diagnostics"]
                    return message
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError(f"{self.name} says nothing for {SECONDS} s")
            part = os.read(self.process.stdout.fileno(), 1 << 20)
            if not part:
                raise EOFError(f"{self.name} has ended")
            self.pending += part


class Clangd(LanguageServer):
    def __init__(self, program, folder):
        # No index in the background: it would compile the whole project beside the questions.
        super().__init__([program, "--background-index=0", "--log=error", "--pch-storage=memory", "-j=2", "--limit-results=0"], folder, "cpp")


class ShortClangd(LanguageServer):
    """The same behind `tcp lsp --clangd`, as an editor has it that shows Markdown, or that does not."""

    def __init__(self, tcp, program, folder):
        super().__init__([str(tcp), "lsp", "--clangd", str(program)], folder, "cpp")

    def fixes(self, path, line, column):
        """What is offered for the errors at a place, by title: the edits."""
        place = {"line": line - 1, "character": column - 1}
        uri = pathlib.Path(path).as_uri()
        answer = self.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}})
        return {a["title"]: a["edit"]["changes"][uri] for a in answer if a.get("kind") == "quickfix" and "edit" in a}
