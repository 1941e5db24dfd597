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
const shown = new Map();  // file -> what tcp lsp found
let told = null;  // called when that changes
// Providers of C++ go by their kind, those of Rust and the text form stand together.
const remember = (kind) => (selector, provider) => {
  const languages = [selector].flat().map((s) => s.language);
  registered[languages.includes('cpp') ? kind : 'kernels'] = { selector, provider };
  return { dispose() {} };
};
const listening = {};
const listen = (kind) => (does) => { listening[kind] = does; return { dispose() {} }; };
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
  Uri: { parse: (text) => ({ text, fsPath: text.replace('file://', ''), toString: () => text }) },
  Location: class { constructor(uri, range) { Object.assign(this, { uri, range }); } },
  Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } },
  DiagnosticRelatedInformation: class { constructor(location, message) { Object.assign(this, { location, message }); } },
  DiagnosticSeverity: { Error: 0 },
  WorkspaceEdit: class { constructor() { this.edits = []; } replace(uri, range, newText) { this.edits.push({ uri, range, newText }); } },
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
    textDocuments: [],
    onDidOpenTextDocument: listen('open'),
    onDidChangeTextDocument: listen('change'),
    onDidCloseTextDocument: listen('close'),
    onDidChangeConfiguration: (does) => { registered.configurationChanged = does; return { dispose() {} }; },
    createFileSystemWatcher: (glob) => { registered.glob = glob; return { onDidChange: (f) => { registered.traceChanged = f; }, onDidCreate() {}, onDidDelete() {}, dispose() {} }; },
  },
  languages: {
    getDiagnostics: () => diagnostics,
    registerCodeLensProvider: remember('lenses'),
    registerHoverProvider: remember('hovers'),
    registerCodeActionsProvider: remember('actions'),
    registerDocumentFormattingEditProvider: remember('formatter'),
    registerDefinitionProvider: remember('definitions'),
    createDiagnosticCollection: () => ({ set(uri, all) { shown.set(uri.fsPath, all); told?.(); }, delete(uri) { shown.delete(uri.fsPath); }, clear() { shown.clear(); }, dispose() {} }),
  },
  commands: { registerCommand: (name, does) => { registered.commands[name] = does; return { dispose() {} }; } },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));

const subscriptions = [];
const documentOf = (file, text = fs.readFileSync(file, 'utf8')) =>
  ({ uri: { fsPath: file, scheme: 'file', toString: () => `file://${file}` }, languageId: file.endsWith('.rs') ? 'rust' : 'tcp', version: 1,
    lineCount: text.split('\n').length, getText: () => text });
/** Until the errors of a file are shown. */
const shownFor = (file, does) => new Promise((resolve) => {
  told = () => { if (shown.has(file)) { told = null; resolve(shown.get(file)); } };
  shown.delete(file);
  does();
});
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

test('a program in text form: errors, hovers, definitions, fixes, cycles, layout', async () => {
  const { provider } = registered.kernels;
  const right = documentOf(source, program), wrong = documentOf(source, program.replace('move in -> x', 'move in -> xyz').replace('dm x:', 'dm xyzz:').replace('move x', 'move xyzz'));
  const errors = await shownFor(source, () => listening.open(wrong));
  assert.deepEqual(errors.map((e) => e.code), ['ir-text-unknown-name']);
  const [fix] = await provider.provideCodeActions(wrong, errors[0].range);
  assert.equal(fix.edit.edits[0].newText, 'xyzz');
  assert.deepEqual(await shownFor(source, () => listening.change({ document: right })), []);
  const lenses = await provider.provideCodeLenses(right);
  assert.deepEqual(lenses.map((lens) => lens.range.start.line + 1), [8, 9]);
  assert.match((await provider.provideHover(right, { line: 7, character: 1 })).contents.value, /8,192 bytes/);
  assert.equal((await provider.provideDefinition(right, { line: 7, character: 11 })).range.start.line, 4);
  const untidy = documentOf(source, program.replace('move in -> x', 'move   in->x').replace('axes A = 2048\n', 'axes A=2048 // rows\n'));
  await shownFor(source, () => listening.change({ document: untidy }));
  const [edit] = await provider.provideDocumentFormattingEdits(untidy);
  assert.equal(edit.newText, program.replace('axes A = 2048\n', 'axes A = 2048  // rows\n'));
  listening.close(untidy);
  assert.equal(await provider.provideHover(untidy, { line: 7, character: 1 }), null);
});

test('kernels in Rust are served, and other Rust is left alone', async () => {
  const file = path.join(folder, 'kernel.rs');
  const text = `use vendor_std::prelude::*;
axes![A = 2048];
#[device(chip = 1)]
fn load(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
  let held: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = x.to_dm(&mut ctx.tdma);
  held.to_hbm(&mut ctx.tdma)
}
`;
  fs.writeFileSync(file, text);
  assert.deepEqual(await shownFor(file, () => listening.open(documentOf(file))), []);
  const lenses = await registered.kernels.provider.provideCodeLenses(documentOf(file));
  assert.match(lenses[0].command.title, /^load: [\d,]+ cycles/);
  const errors = await shownFor(file, () => listening.change({ document: documentOf(file, text.replace('.to_dm(', '.to_md(')) }));
  assert.deepEqual(errors.map((e) => e.code), ['rust-unknown-method']);
  const offered = registered.actions.provider.provideCodeActions(documentOf(file), null, { diagnostics: errors });
  assert.deepEqual(offered.map((action) => action.title), ['Explain error[rust-unknown-method]']);
  const other = path.join(folder, 'other.rs');
  listening.open(documentOf(other, 'fn main() {}\n'));
  assert.equal(await registered.kernels.provider.provideHover(documentOf(other, 'fn main() {}\n'), { line: 0, character: 4 }), null);
});

test('a program that does not run is said once', async () => {
  settings.program = '/no/such/program';
  registered.configurationChanged({ affectsConfiguration: (name) => name === 'tcp' });
  const before = registered.warnings.length;
  for (let i = 0; i < 2; ++i) await listening.open(documentOf(source, program));
  assert.equal(registered.warnings.length, before + 1);
  assert.match(registered.warnings.at(-1), /tcp lsp has ended/);
  settings.program = tcp;
  registered.configurationChanged({ affectsConfiguration: (name) => name === 'tcp' });
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
