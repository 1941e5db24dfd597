// Kernels in Rust and programs in text form in the editor: what `tcp lsp` says of them, as the editor's own records.
'use strict';

const vscode = require('vscode');
const { Server } = require('./server.js');

const selector = [{ language: 'rust', scheme: 'file' }, { language: 'tcp', scheme: 'file' }];
const isOurs = (document) => document.uri.scheme === 'file' && (document.languageId === 'tcp' || document.languageId === 'rust');
const rangeOf = ({ start, end }) => new vscode.Range(start.line, start.character, end.line, end.character);

/** A file of Rust that has nothing to do with kernels is left alone: the server would find nothing in it. */
const hasKernels = (document) => document.languageId === 'tcp' || /m!\s*\[|axes!\s*\[|#\[\s*(\w+::)*device\b/.test(document.getText());

class Kernels {
  constructor(programOf, settings) {
    this.programOf = programOf;
    this.settings = settings;
    this.diagnostics = vscode.languages.createDiagnosticCollection('tcp');
    this.lensesChanged = new vscode.EventEmitter();
    this.open = new Set();
    this.failed = false;
  }

  /** The server, started when the first kernel is opened. */
  get() {
    if (this.server) return this.server;
    const server = new Server(this.programOf(), ['lsp'], {
      onNotice: (method, params) => {
        if (method !== 'textDocument/publishDiagnostics') return;
        this.show(params);
        this.lensesChanged.fire();
      },
      onGone: (words) => {
        if (this.server !== server) return;
        this.server = null;
        this.open.clear();
        this.diagnostics.clear();
        if (!this.failed) vscode.window.showWarningMessage(`tcp lsp has ended: ${words.split('\n')[0]}`);
        this.failed = true;  // said once
      },
    });
    this.server = server;
    return server;
  }

  show({ uri, diagnostics }) {
    this.diagnostics.set(vscode.Uri.parse(uri), diagnostics.map((d) => {
      const shown = new vscode.Diagnostic(rangeOf(d.range), d.message, vscode.DiagnosticSeverity.Error);
      shown.code = d.code;
      shown.source = d.source;
      shown.relatedInformation = (d.relatedInformation ?? []).map(
        (r) => new vscode.DiagnosticRelatedInformation(new vscode.Location(vscode.Uri.parse(r.location.uri), rangeOf(r.location.range)), r.message));
      return shown;
    }));
  }

  async opened(document) {
    const uri = document.uri.toString();
    if (!isOurs(document) || this.open.has(uri) || this.failed || !hasKernels(document)) return;
    this.open.add(uri);
    const server = this.get();
    await server.ready;
    server.notify('textDocument/didOpen', { textDocument: { uri, languageId: document.languageId, version: document.version, text: document.getText() } });
  }

  changed(document) {
    const uri = document.uri.toString();
    if (!this.open.has(uri)) return this.opened(document);  // it may have got its first kernel
    return this.server?.notify('textDocument/didChange', { textDocument: { uri, version: document.version }, contentChanges: [{ text: document.getText() }] });
  }

  closed(document) {
    const uri = document.uri.toString();
    if (!this.open.delete(uri)) return;
    this.server?.notify('textDocument/didClose', { textDocument: { uri } });
    this.diagnostics.delete(document.uri);
  }

  /** Null if the document is none of ours. */
  ask(method, document, more) {
    const uri = document.uri.toString();
    return this.open.has(uri) && this.server ? this.server.request(`textDocument/${method}`, { textDocument: { uri }, ...more }) : null;
  }

  async provideHover(document, position) {
    const answer = await this.ask('hover', document, { position: { line: position.line, character: position.character } });
    return answer ? new vscode.Hover(new vscode.MarkdownString(answer.contents.value)) : null;
  }

  async provideDefinition(document, position) {
    const answer = await this.ask('definition', document, { position: { line: position.line, character: position.character } });
    return answer ? new vscode.Location(vscode.Uri.parse(answer.uri), rangeOf(answer.range)) : null;
  }

  async provideCodeActions(document, range) {
    const { start, end } = range;
    const asked = { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
    const answer = await this.ask('codeAction', document, { range: asked, context: { diagnostics: [] } }) ?? [];
    return answer.map((fix) => {
      const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
      action.isPreferred = fix.isPreferred;
      action.edit = new vscode.WorkspaceEdit();
      for (const [uri, edits] of Object.entries(fix.edit.changes))
        for (const edit of edits) action.edit.replace(vscode.Uri.parse(uri), rangeOf(edit.range), edit.newText);
      return action;
    });
  }

  get onDidChangeCodeLenses() { return this.lensesChanged.event; }

  async provideCodeLenses(document) {
    if (!this.settings('lens')) return [];
    const answer = await this.ask('codeLens', document, {}) ?? [];
    return answer.map((lens) => new vscode.CodeLens(rangeOf(lens.range), { title: lens.command.title, tooltip: lens.data.details, command: '' }));
  }

  async provideDocumentFormattingEdits(document) {
    const answer = await this.ask('formatting', document, { options: { tabSize: 2, insertSpaces: true } }) ?? [];
    return answer.map((edit) => vscode.TextEdit.replace(rangeOf(edit.range), edit.newText));
  }

  /** With the settings of now. */
  restart() {
    this.server?.end();
    this.server = null;
    this.failed = false;
    this.open.clear();
    this.diagnostics.clear();
    vscode.workspace.textDocuments.forEach((document) => this.opened(document));
  }

  /** What the editor has to call off at the end. */
  register() {
    const workspace = vscode.workspace, languages = vscode.languages;
    workspace.textDocuments.forEach((document) => this.opened(document));
    return [
      this.diagnostics, this.lensesChanged,
      workspace.onDidOpenTextDocument((document) => this.opened(document)),
      workspace.onDidChangeTextDocument((change) => this.changed(change.document)),
      workspace.onDidCloseTextDocument((document) => this.closed(document)),
      languages.registerHoverProvider(selector, this),
      languages.registerDefinitionProvider(selector, this),
      languages.registerCodeActionsProvider(selector, this),
      languages.registerCodeLensProvider(selector, this),
      languages.registerDocumentFormattingEditProvider([{ language: 'tcp', scheme: 'file' }], this),
      { dispose: () => this.server?.end() },
    ];
  }
}

module.exports = { Kernels };
