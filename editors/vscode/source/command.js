// The tcp command as a function: arguments in, its answer out.
'use strict';

const { execFile, spawn } = require('node:child_process');

/** {code, out, err}; code is null if there is no such program. Text for standard input may be given. */
function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd: options.cwd, maxBuffer: 1 << 28 }, (error, out, err) => {
      const code = !error ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, out, err: code === null ? String(error.message) : err });
    });
    child.stdin.on('error', () => {});  // it may have ended before it read all
    child.stdin.end(options.input ?? '');
  });
}

/** The answer in JSON; {refused: {...}} is one, too. Null if there is none. */
async function askJson(program, args, options) {
  const answer = await run(program, [...args, '--json'], options);
  try {
    return JSON.parse(answer.out);
  } catch {
    return null;
  }
}

/** Starts `tcp view` and resolves with the address that it prints; the process lives until it is killed. */
function serve(program, trace, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['view', trace], { cwd: options.cwd });
    let out = '', err = '';
    child.on('error', reject);
    child.stderr.on('data', (part) => { err += part; });
    child.stdout.on('data', (part) => {
      out += part;
      const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(out);
      if (address) resolve({ address: address[0], child });
    });
    child.on('exit', () => reject(new Error(err || 'tcp view ended')));
  });
}

module.exports = { run, askJson, serve };
