// The colours of programs in text form: every word of real programs gets the scope that it should have.
'use strict';

const { test } = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

const grammar = require('../syntaxes/tcp.tmLanguage.json');
const rules = grammar.patterns.map(({ include }) => {
  const rule = grammar.repository[include.slice(1)];
  return { scope: rule.name, match: new RegExp(rule.match, 'gd') };
});

/** As an editor does it: at each place the first rule that matches there; [text, scope]. */
function tokens(line) {
  const found = [];
  for (let at = 0; at < line.length;) {
    let best = null;
    for (const { scope, match } of rules) {
      match.lastIndex = at;
      const m = match.exec(line);
      if (m && (!best || m.index < best.index)) best = { index: m.index, text: m[0], scope };
    }
    if (!best) break;
    found.push([best.text, best.scope]);
    at = best.index + Math.max(best.text.length, 1);
  }
  return found;
}
const scopeOf = (line, text) => tokens(line).find(([t]) => t === text)?.[1];

test('words have their scopes', () => {
  const line = 'argument hbm in_1: bf16 Element[A / 8 # 256] at 0x1000 // move';
  assert.equal(scopeOf(line, 'argument'), 'keyword.declaration.tcp');
  assert.equal(scopeOf(line, 'bf16'), 'storage.type.tcp');
  assert.equal(scopeOf(line, 'Element'), 'entity.name.type.tcp');
  assert.equal(scopeOf(line, '0x1000'), 'constant.numeric.tcp');
  assert.equal(scopeOf(line, '// move'), 'comment.line.double-slash.tcp');
  assert.equal(scopeOf(line, 'in'), undefined, 'a name that begins like a word is none');
  assert.equal(scopeOf('  .fetch i32 Time[1]', 'fetch'), 'entity.name.function.tcp');
  assert.equal(scopeOf('move "a // b" -> x', '"a // b"'), 'string.quoted.double.tcp');
  assert.equal(scopeOf('main.begin(x)', 'begin'), 'entity.name.function.tcp');
});

test('every statement of the programs in docs/text-form.md begins with a word that the grammar knows', () => {
  const page = fs.readFileSync(path.join(__dirname, '../../../docs/text-form.md'), 'utf8');
  const programs = [...page.matchAll(/^```tcp[^\n]*\n(.*?)^```$/gms)].map((m) => m[1]);
  assert.ok(programs.length >= 5);
  for (const line of programs.join('').split('\n')) {
    const word = /^\s*\.?([A-Za-z_]+)/.exec(line)?.[1];
    if (!word || line.trim().startsWith('//')) continue;
    assert.ok(scopeOf(line, word), `'${word}' in '${line}' has no colour`);
  }
});
