// What the tcp command answers, turned into what an editor shows. Nothing here knows the editor, so that all of it can be tested without one.
'use strict';

/** The code of a refusal in a diagnostic's message: `... error[collect-packet-not-one-flit]: Packet ...`; null if it has none. */
function codeIn(message) {
  const found = /error\[([a-z0-9]+(?:-[a-z0-9]+)+)\]/.exec(message);
  return found ? found[1] : null;
}

/** The sentence of a refusal, without what the compiler puts before it. */
function sentenceIn(message) {
  const at = message.search(/error\[[a-z0-9-]+\]: /);
  return at < 0 ? message : message.slice(at).split('\n')[0];
}

const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** What is shown when the mouse rests on a line's cycles. */
function detailsOf(line) {
  const rows = [`${thousands(line.cycles)} cycles on the critical path, ${thousands(line.busy)} in all, of ${line.commands} ${line.commands === 1 ? 'command' : 'commands'}`];
  if (line.bottleneck) rows.push(`most of it: ${line.bottleneck.name}, ${thousands(line.bottleneck.cycles)} cycles`);
  if (line.wait && line.wait.cycles > 0) rows.push(`waited ${thousands(line.wait.cycles)} cycles: ${line.wait.reason}`);
  for (const finding of line.findings) rows.push(`${finding.rule}: ${finding.what}; help: ${finding.help}`);
  return rows.join('\n');
}

/**
 * The lenses of a source, from the answer of `tcp lens --json`: line from 0, title, tooltip. An answer for a text that has since lost lines shows what it can.
 */
function lensesFrom(answer, lineCount) {
  const lines = answer.files ? answer.files.flatMap((file) => file.lines) : [];
  return lines
    .filter((line) => line.line >= 1 && line.line <= lineCount)
    .map((line) => ({ line: line.line - 1, title: line.label, tooltip: detailsOf(line) }));
}

module.exports = { codeIn, sentenceIn, detailsOf, lensesFrom };
