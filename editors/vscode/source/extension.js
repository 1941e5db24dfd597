// The extension: cycles above lines of C++ (tcp lens), pages of refusals at their diagnostics (tcp explain), the viewer (tcp view), and kernels in Rust and in
// text form (tcp lsp, in kernels.js). All knowledge is the command's; diagnostics, completion and hovers of C++ come from clangd.
'use strict';

const vscode = require('vscode');
const path = require('node:path');
const fs = require('node:fs/promises');
const { codeIn, sentenceIn, lensesFrom } = require('./answers.js');
const { run, askJson, serve } = require('./command.js');
const { Kernels } = require('./kernels.js');

const setting = (name) => vscode.workspace.getConfiguration('tcp').get(name);
const folderOf = (uri) => vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? path.dirname(uri.fsPath);
const traceFor = (uri) => path.resolve(folderOf(uri), setting('trace'));
const isThere = (file) => fs.access(file).then(() => true, () => false);

/** Cycles above the lines that the trace knows. Without a trace there are none, and nothing is said: it is not there before the first `make trace`. */
class Lenses {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChangeCodeLenses = this.changed.event;
  }

  async provideCodeLenses(document) {
    const trace = traceFor(document.uri);
    if (!setting('lens') || !await isThere(trace)) return [];
    const answer = await askJson(setting('program'), ['lens', trace, '--file', document.uri.fsPath]);
    if (!answer) return [];
    return lensesFrom(answer, document.lineCount).map((lens) => new vscode.CodeLens(
      new vscode.Range(lens.line, 0, lens.line, 0), { title: lens.title, tooltip: lens.tooltip, command: 'tcp.view', arguments: [document.uri] }));
  }
}

/** The page of a refusal, as Markdown; null if there is none. */
async function pageOf(code) {
  const answer = await run(setting('program'), ['explain', code]);
  return answer.code === 0 ? answer.out : null;
}

const codeOf = (diagnostic) => (diagnostic.source === 'tcp' ? diagnostic.code : codeIn(diagnostic.message));

/** The page at the diagnostic that has its code. */
const hovers = {
  async provideHover(document, position) {
    for (const diagnostic of vscode.languages.getDiagnostics(document.uri)) {
      const code = codeOf(diagnostic);
      if (!code || !diagnostic.range.contains(position)) continue;
      const page = await pageOf(code);
      if (page) return new vscode.Hover(new vscode.MarkdownString(page), diagnostic.range);
    }
    return null;
  },
};

/** "Explain error[code]" in the menu of the diagnostic. */
const actions = {
  provideCodeActions(document, range, context) {
    return context.diagnostics.filter(codeOf).map((diagnostic) => {
      const code = codeOf(diagnostic);
      const action = new vscode.CodeAction(`Explain error[${code}]`, vscode.CodeActionKind.QuickFix);
      action.diagnostics = [diagnostic];
      action.command = { title: sentenceIn(diagnostic.message), command: 'tcp.explain', arguments: [code] };
      return action;
    });
  },
};

async function explain(code) {
  const asked = code ?? await vscode.window.showInputBox({ prompt: 'The code of a diagnostic, such as mapping-axis-twice' });
  if (!asked) return;
  const page = await pageOf(asked);
  if (!page) {
    vscode.window.showWarningMessage(`tcp has no page for ${asked}`);
    return;
  }
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: page });
  await vscode.window.showTextDocument(document, { preview: true });
}

const withErrors = [{ language: 'cpp' }, { language: 'rust' }, { language: 'tcp' }];

function activate(context) {
  const lenses = new Lenses();
  const served = new Map();  // trace -> what `tcp view` is doing

  async function view(uri) {
    const of = uri ?? vscode.window.activeTextEditor?.document.uri;
    if (!of) return;
    const trace = traceFor(of);
    try {
      served.get(trace)?.child.kill();  // the trace may be another by now
      const page = await serve(setting('program'), trace);
      served.set(trace, page);
      await vscode.env.openExternal(vscode.Uri.parse(page.address));
    } catch (error) {
      vscode.window.showWarningMessage(String(error.message).split('\n')[0]);
    }
  }

  const channel = vscode.window.createOutputChannel('tcp doctor');
  async function doctor() {
    const answer = await run(setting('program'), ['doctor']);
    channel.clear();
    channel.append(answer.code === null ? `${setting('program')} does not run: ${answer.err}\n` : answer.out + answer.err);
    channel.show();
  }

  const kernels = new Kernels(() => setting('program'), setting);
  let watcher;
  function watch() {
    watcher?.dispose();
    watcher = vscode.workspace.createFileSystemWatcher(`**/${path.basename(setting('trace'))}`);
    for (const event of ['onDidChange', 'onDidCreate', 'onDidDelete']) watcher[event](() => lenses.changed.fire());
  }
  watch();

  context.subscriptions.push(
    { dispose: () => watcher.dispose() },
    lenses.changed,
    channel,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration('tcp')) return;
      watch();  // the trace may have another name
      kernels.restart();  // and the program
      lenses.changed.fire();
    }),
    vscode.languages.registerCodeLensProvider({ language: 'cpp' }, lenses),
    vscode.languages.registerHoverProvider(withErrors, hovers),
    vscode.languages.registerCodeActionsProvider(withErrors, actions),
    ...kernels.register(),
    vscode.commands.registerCommand('tcp.view', view),
    vscode.commands.registerCommand('tcp.explain', explain),
    vscode.commands.registerCommand('tcp.doctor', doctor),
    { dispose: () => served.forEach((page) => page.child.kill()) },
  );
}

module.exports = { activate, deactivate() {} };
