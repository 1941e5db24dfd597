// The extension with the real tcp command, and an editor that is made of records: what it registers, offers and shows.
'use strict';

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const Module = require('node:module');
const { execFileSync } = require('node:child_process');

const tcp = process.env.TCP;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tcp-vscode-'));
const program = `module add_one
axes A = 2048

argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
result hbm out: i32 Element[A] at 268435456

move in -> x
move x -> out
`;

// The editor.
const registered = { commands: {}, warnings: [], opened: [] };
const settings = { program: tcp, trace: 'build/trace.json', lens: true };
let diagnostics = [];
const remember = (kind) => (selector, provider) => { registered[kind] = { selector, provider }; return { dispose() {} }; };
class Range {
  constructor(a, b, c, d) { Object.assign(this, { start: { line: a, character: b }, end: { line: c, character: d } }); }
  contains(p) { return p.line >= this.start.line && p.line <= this.end.line; }
}
const vscode = {
  Range,
  EventEmitter: class { constructor() { this.event = () => {}; this.fired = 0; } fire() { this.fired += 1; } dispose() {} },
  CodeLens: class { constructor(range, command) { Object.assign(this, { range, command }); } },
  Hover: class { constructor(contents, range) { Object.assign(this, { contents, range }); } },
  MarkdownString: class { constructor(value) { this.value = value; } },
  CodeAction: class { constructor(title, kind) { Object.assign(this, { title, kind }); } },
  CodeActionKind: { QuickFix: 'quickfix' },
  TextEdit: { replace: (range, newText) => ({ range, newText }) },
  Uri: { parse: (text) => ({ text }) },
  env: { openExternal: async (uri) => { registered.opened.push(uri.text); } },
  window: {
    showWarningMessage: (text) => registered.warnings.push(text),
    showTextDocument: async (document) => { registered.shown = document; },
    createOutputChannel: () => ({ clear() { registered.output = ''; }, append: (text) => { registered.output += text; }, show() {}, dispose() {} }),
  },
  workspace: {
    getConfiguration: () => ({ get: (name) => settings[name] }),
    getWorkspaceFolder: () => ({ uri: { fsPath: folder } }),
    openTextDocument: async (document) => document,
    onDidChangeConfiguration: (does) => { registered.configurationChanged = does; return { dispose() {} }; },
    createFileSystemWatcher: (glob) => { registered.glob = glob; return { onDidChange: (f) => { registered.traceChanged = f; }, onDidCreate() {}, onDidDelete() {}, dispose() {} }; },
  },
  languages: {
    getDiagnostics: () => diagnostics,
    registerCodeLensProvider: remember('lenses'),
    registerHoverProvider: remember('hovers'),
    registerCodeActionsProvider: remember('actions'),
    registerDocumentFormattingEditProvider: remember('formatter'),
  },
  commands: { registerCommand: (name, does) => { registered.commands[name] = does; return { dispose() {} }; } },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));

const subscriptions = [];
const documentOf = (file, text = fs.readFileSync(file, 'utf8')) =>
  ({ uri: { fsPath: file }, lineCount: text.split('\n').length, getText: () => text });
const source = path.join(folder, 'add_one.tcp');

before(() => {
  assert.ok(tcp, 'TCP names the program');
  fs.mkdirSync(path.join(folder, 'build'));
  fs.writeFileSync(source, program);
  execFileSync(tcp, ['run', source, '--random', '1', '--backend', 'device', '--trace', path.join(folder, 'build/trace.json')]);
  require('../source/extension.js').activate({ subscriptions });
});
after(() => {
  for (const each of subscriptions) each.dispose();
  fs.rmSync(folder, { recursive: true });
});

test('every command of package.json is there, and no other', () => {
  const { contributes } = require('../package.json');
  assert.deepEqual(Object.keys(registered.commands).sort(), contributes.commands.map((c) => c.command).sort());
  assert.deepEqual(Object.keys(settings).sort(), Object.keys(contributes.configuration.properties).map((name) => name.slice(4)).sort());
});

test('cycles stand above the lines that move something', async () => {
  const shown = await registered.lenses.provider.provideCodeLenses(documentOf(source));
  assert.deepEqual(shown.map((lens) => lens.range.start.line + 1), [8, 9]);
  const { files, makespan } = JSON.parse(execFileSync(tcp, ['lens', path.join(folder, 'build/trace.json'), '--json']));
  for (const [i, lens] of shown.entries()) {
    const line = files[0].lines[i];
    assert.equal(lens.command.title, line.label);
    assert.match(lens.command.title, /^[\d,]+ cycles, \d+\.\d %/);
    assert.match(lens.command.tooltip, /most of it: /);
    assert.ok(line.cycles <= makespan);
  }
  assert.equal(shown[0].command.command, 'tcp.view');
});

test('lines that are gone, traces that are not there and settings show nothing', async () => {
  const { provider } = registered.lenses;
  assert.equal((await provider.provideCodeLenses(documentOf(source, 'module x\n'))).length, 0);
  assert.deepEqual(await provider.provideCodeLenses(documentOf(path.join(folder, 'other.cpp'), 'int x;\n')), []);
  settings.trace = 'build/none.json';
  assert.deepEqual(await provider.provideCodeLenses(documentOf(source)), []);
  settings.trace = 'build/trace.json';
  settings.lens = false;
  assert.deepEqual(await provider.provideCodeLenses(documentOf(source)), []);
  settings.lens = true;
  settings.program = '/no/such/program';
  assert.deepEqual(await provider.provideCodeLenses(documentOf(source)), []);
  settings.program = tcp;
});

test('a trace that is written anew asks for the lenses again', () => {
  const { changed } = registered.lenses.provider;
  const before = changed.fired;
  registered.traceChanged();
  assert.equal(changed.fired, before + 1);
  assert.equal(registered.glob, '**/trace.json');
});

test('a setting that changes asks for the lenses again, and for another trace to be watched', () => {
  const { changed } = registered.lenses.provider;
  const before = changed.fired;
  registered.configurationChanged({ affectsConfiguration: (name) => name === 'editor' });
  assert.equal(changed.fired, before);
  settings.trace = 'build/other.json';
  registered.configurationChanged({ affectsConfiguration: (name) => name === 'tcp' });
  assert.equal(changed.fired, before + 1);
  assert.equal(registered.glob, '**/other.json');
  settings.trace = 'build/trace.json';
  registered.configurationChanged({ affectsConfiguration: (name) => name === 'tcp' });
});

test('a folder that is not trusted does not choose the program', () => {
  const { capabilities } = require('../package.json');
  assert.deepEqual(capabilities.untrustedWorkspaces.restrictedConfigurations, ['tcp.program']);
});

const clangdSays = "In template: static assertion failed due to requirement 'tcp_sentence.n == 0': error[mapping-stride-not-divisor]: A / 7: 7 does not divide the 2048 positions";

test('the page of a refusal is shown at its diagnostic', async () => {
  diagnostics = [{ message: 'unused variable', range: new Range(2, 0, 2, 9) }, { message: clangdSays, range: new Range(4, 0, 4, 20) }];
  const document = documentOf(source);
  const hover = await registered.hovers.provider.provideHover(document, { line: 4, character: 3 });
  assert.ok(hover.contents.value.startsWith('# mapping-stride-not-divisor\n'));
  assert.equal(await registered.hovers.provider.provideHover(document, { line: 2, character: 3 }), null);
  const offered = registered.actions.provider.provideCodeActions(document, null, { diagnostics });
  assert.deepEqual(offered.map((action) => action.title), ['Explain error[mapping-stride-not-divisor]']);
  assert.ok(offered[0].command.title.startsWith('error[mapping-stride-not-divisor]: A / 7'));
  await registered.commands['tcp.explain'](...offered[0].command.arguments);
  assert.ok(registered.shown.content.startsWith('# mapping-stride-not-divisor\n'));
  await registered.commands['tcp.explain']('no-such-code');
  assert.match(registered.warnings.at(-1), /no page for no-such-code/);
});

test('a program in text form is laid out by tcp fmt, and left alone if it is none', async () => {
  const untidy = program.replace('move in -> x', 'move   in->x').replace('axes A = 2048\n', 'axes A=2048 // rows\n');
  const { provider } = registered.formatter;
  const [edit] = await provider.provideDocumentFormattingEdits(documentOf(source, untidy));
  assert.equal(edit.newText, program.replace('axes A = 2048\n', 'axes A = 2048  // rows\n'));
  assert.deepEqual(await provider.provideDocumentFormattingEdits(documentOf(source, program)), []);
  assert.deepEqual(await provider.provideDocumentFormattingEdits(documentOf(source, 'module x\nmove nothing')), []);
  assert.match(registered.warnings.at(-1), /error\[ir-/);
});

test('the viewer is served and opened; a second time it is the trace of then', async () => {
  const document = documentOf(source);
  for (let i = 1; i <= 2; ++i) {
    await registered.commands['tcp.view'](document.uri);
    assert.equal(registered.opened.length, i);
  }
  const answer = await fetch(registered.opened[1]);
  assert.match(await answer.text(), /<html/);
  settings.trace = 'build/none.json';
  await registered.commands['tcp.view'](document.uri);
  assert.match(registered.warnings.at(-1), /error\[/);
  settings.trace = 'build/trace.json';
});

test('the doctor speaks, each time anew', async () => {
  await registered.commands['tcp.doctor']();
  assert.match(registered.output, /compiler/);
  const once = registered.output.length;
  await registered.commands['tcp.doctor']();
  assert.ok(registered.output.length < 2 * once);
  settings.program = '/no/such/program';
  await registered.commands['tcp.doctor']();
  assert.match(registered.output, /does not run/);
  settings.program = tcp;
});
