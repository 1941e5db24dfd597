// Search, the choice of light or dark, and the contents on narrow screens. The index is a script beside this one, so that pages work from a folder, without a server.
const up = document.currentScript.dataset.up;
const box = document.getElementById('ui-search');
const found = document.getElementById('ui-found');
const LIMIT = 40;
let entries = null;  // read at the first search
let chosen = 0;

function load(then) {
  if (entries) return then();
  const script = document.createElement('script');
  script.src = `${up}index.js`;
  script.onload = () => {
    entries = globalThis.INDEX.map(([section, page, url, text]) => ({ section, page, url, text, heads: `${section} ${page}`.toLowerCase(), all: `${section} ${page} ${text}`.toLowerCase() }));
    then();
  };
  document.head.append(script);
}

// Every word must be there. A word in a heading counts more; a page whose title has all of them counts most, and the page itself before its sections. Pages that explain
// come before tables and formats, and these before errors, headers and chips, unless the query is the code of an error or the name of a function.
const TABLES = /^(CHANGELOG|CONTRIBUTING|docs\/(accuracy|departures|program|claims|diagnostics|code))/;
function times(text, word) {
  return text.split(word).length - 1;
}

function rank(entry, words, query) {
  if (!words.every((w) => entry.all.includes(w))) return 0;
  const own = entry.section.toLowerCase();
  const title = entry.page.toLowerCase();
  const lesson = entry.url.startsWith('examples/') && own === title;
  const page = (lesson || entry.url.startsWith('docs/')) && !TABLES.test(entry.url);
  const name = /[-_:.]/.test(query);  // of an error, or of something in C++
  let score = 1 + words.filter((w) => entry.heads.includes(w)).length * 4;
  score += Math.min(6, ...words.map((w) => times(entry.all, w)));
  if (own === query) score += page || name ? 80 : 4;
  else if (own.startsWith(query)) score += page ? 15 : 3;
  if (own === query && own === title) score += 100;
  if (page) score += /^docs\/engines\/./.test(entry.url) ? 16 : 10;
  if (page) score += 20 * words.filter((w) => title.includes(w)).length;
  if (page && own === title && words.every((w) => title.includes(w))) score += 120;
  if (page && own === title && entry.url.includes('/engines/') && title.includes(words[0])) score += 25;
  return score;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return (at > 0 ? '... ' : '') + text.slice(at, at + 160);
}

function show() {
  const query = box.value.trim().toLowerCase();
  found.hidden = query === '';
  if (found.hidden) return;
  const words = query.split(/\s+/);
  const hits = entries.map((entry) => ({ entry, score: rank(entry, words, query) })).filter((h) => h.score > 0);
  hits.sort((a, b) => b.score - a.score);
  chosen = 0;
  found.replaceChildren(...hits.slice(0, LIMIT).map(({ entry }, i) => {
    const link = document.createElement('a');
    link.href = up + entry.url;
    link.className = i === 0 ? 'chosen' : '';
    const small = document.createElement('small');
    small.textContent = `${entry.page} \u00b7 ${excerpt(entry.text, words[0])}`;
    link.append(entry.section, small);
    return link;
  }));
  const note = document.createElement('p');
  note.textContent = hits.length === 0 ? 'Nothing found.' : hits.length > LIMIT ? `${hits.length} found; the first ${LIMIT} are shown.` : `${hits.length} found.`;
  found.append(note);
}

function choose(step) {
  const links = found.querySelectorAll('a');
  if (links.length === 0) return;
  links[chosen].className = '';
  chosen = (chosen + step + links.length) % links.length;
  links[chosen].className = 'chosen';
  links[chosen].scrollIntoView({ block: 'nearest' });
}

box.addEventListener('input', () => load(show));
box.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    choose(event.key === 'ArrowDown' ? 1 : -1);
    event.preventDefault();
  } else if (event.key === 'Enter') {
    found.querySelectorAll('a')[chosen]?.click();
  } else if (event.key === 'Escape') {
    box.value = '';
    found.hidden = true;
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== box) {
    box.focus();
    event.preventDefault();
  }
});
document.addEventListener('click', (event) => {
  if (!found.contains(event.target) && event.target !== box) found.hidden = true;
  if (found.contains(event.target)) found.hidden = true;
});

const nav = document.querySelector('nav');
const current = nav.querySelector('[aria-current]');
if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 2;

const menu = document.getElementById('ui-menu');
menu.addEventListener('click', () => menu.setAttribute('aria-expanded', document.body.classList.toggle('menu')));

function theme(name) {
  if (name) document.documentElement.dataset.theme = name;
}
theme(localStorage.getItem('theme'));
document.getElementById('ui-theme').addEventListener('click', () => {
  const own = document.documentElement.dataset.theme;
  const dark = own ? own === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  localStorage.setItem('theme', dark ? 'light' : 'dark');
  theme(dark ? 'light' : 'dark');
});

// Of a session, the commands are copied: what is typed after "$ ", with the lines that a backslash continues.
function typed(code) {
  const lines = code.split('\n');
  const commands = lines.filter((line, i) => line.startsWith('$ ') || (i > 0 && lines[i - 1].endsWith('\\')));
  return commands.length ? commands.map((line) => line.replace(/^\$ /, '')).join('\n') : code.trimEnd();
}
for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button');
  button.className = 'copy';
  button.textContent = 'copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard?.writeText(typed(figure.querySelector('code').textContent)).catch(() => {});
    button.textContent = 'copied';
    setTimeout(() => { button.textContent = 'copy'; }, 1200);
  });
  figure.append(button);
}

// A link to a search: any page with ?q=words.
const asked = new URLSearchParams(location.search).get('q');
if (asked) {
  box.value = asked;
  load(show);
}
