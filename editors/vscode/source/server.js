// `tcp lsp` as functions: requests with answers, notices without. Nothing here knows the editor.
'use strict';

const { spawn } = require('node:child_process');

/** Messages out of a stream of bytes, each after a header with its length. */
class Frames {
  constructor() { this.pending = Buffer.alloc(0); }

  /** The messages that are complete with this part. */
  take(part) {
    this.pending = Buffer.concat([this.pending, part]);
    const messages = [];
    for (;;) {
      const end = this.pending.indexOf('\r\n\r\n');
      if (end < 0) return messages;
      const length = Number(/content-length: *(\d+)/i.exec(this.pending.toString('latin1', 0, end))?.[1]);
      if (this.pending.length < end + 4 + length) return messages;
      messages.push(JSON.parse(this.pending.toString('utf8', end + 4, end + 4 + length)));
      this.pending = this.pending.subarray(end + 4 + length);
    }
  }
}

/** A language server. Requests to one that is gone are answered by null. */
class Server {
  constructor(program, args, { onNotice, onGone }) {
    this.waiting = new Map();
    this.number = 0;
    this.child = spawn(program, args);
    const frames = new Frames();
    this.child.stdout.on('data', (part) => {
      for (const message of frames.take(part)) {
        if (message.method) onNotice(message.method, message.params);
        else this.answered(message);
      }
    });
    this.child.stdin.on('error', () => {});  // it may be gone
    let words = '';
    this.child.stderr.on('data', (part) => { words += part; });
    this.child.on('error', (error) => this.gone(onGone, error.message));
    this.child.on('exit', () => this.gone(onGone, words));
    this.ready = this.request('initialize', { processId: process.pid, rootUri: null, capabilities: {} }).then(() => this.notify('initialized', {}));
  }

  answered({ id, result }) {
    this.waiting.get(id)?.(result ?? null);
    this.waiting.delete(id);
  }

  gone(tell, words) {
    if (!this.child) return;
    this.child = null;
    for (const answer of this.waiting.values()) answer(null);
    this.waiting.clear();
    if (!this.ending) tell(words.trim());
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.child?.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }

  request(method, params) {
    if (!this.child) return Promise.resolve(null);
    const id = ++this.number;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ id, method, params });
    });
  }

  notify(method, params) { this.send({ method, params }); }

  async end() {
    this.ending = true;
    await this.request('shutdown', null);
    this.notify('exit', null);
  }
}

module.exports = { Frames, Server };
