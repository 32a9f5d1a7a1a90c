import { parseVkey, type VerifierKey } from '../../../integrity/notes/noteKeys.ts';
import type { BundleVerification } from '../../check/bundleVerification.ts';
import { checkBundle, readPartOf } from '../../check/checkBundle.ts';
import { type ByteSource, openBundle } from '../../format/bundleFile.ts';
import type { BundledFile } from '../../format/manifest.ts';
import { formatCount, h, shortened, visible } from './dom.ts';
import { eventList } from './eventList.ts';
import { sourceOf } from './fileSource.ts';
import { type Mark, type Statement, verdictOf } from './verdict.ts';
import { browserPlatform, secondOpinion } from './webCrypto.ts';

const element = <Name extends HTMLElement>(id: string): Name => document.getElementById(id) as Name;
const input = element<HTMLInputElement>('file');
const keyInput = element<HTMLInputElement>('key');
const keyProblem = element('key-problem');
const status = element('status');
const result = element('result');

let chosen: File | undefined;
/** The number of the last verification: one that was overtaken shows nothing. */
let run = 0;

input.addEventListener('change', () => {
  chosen = input.files?.[0] ?? chosen;
  void start();
});
/** The key of the verification that is shown or under way: a browser reports a change only when the field loses the focus. */
let verifiedKey: string | undefined;
keyInput.addEventListener('change', () => {
  if (keyInput.value.trim() !== verifiedKey) void start();
});
for (const type of ['dragover', 'drop'] as const) {
  document.addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.toggle('dropping', type === 'dragover');
    const file = type === 'drop' ? event.dataTransfer?.files[0] : undefined;
    if (!file) return;
    chosen = file;
    void start();
  });
}
document.addEventListener('dragleave', () => document.body.classList.remove('dropping'));

/** @returns undefined when no key was entered, null for a text that is none */
function enteredKey(): VerifierKey | undefined | null {
  const text = keyInput.value.trim();
  keyProblem.textContent = '';
  if (text === '') return undefined;
  try {
    return parseVkey(text);
  } catch (error) {
    keyProblem.textContent = `This is not a key of a log: ${visible((error as Error).message)}.`;
    return null;
  }
}

async function start(): Promise<void> {
  const trusted = enteredKey();
  if (trusted === null || !chosen) return;
  const file = chosen;
  const own = ++run;
  verifiedKey = keyInput.value.trim();
  result.replaceChildren();
  status.textContent = `Verifying ${shortened(file.name, 100)} …`;
  try {
    const source = sourceOf(file);
    const verification = await checkBundle(source, browserPlatform, {
      trusted,
      onProgress(done, of) {
        if (own === run) status.textContent = `Verified ${done.toLocaleString('en')} of ${formatCount(of, 'event')} …`;
      },
    });
    const opinion = await secondOpinion(verification.checkpoints);
    const events = await eventsOf(source, verification);
    if (own !== run) return;
    status.textContent = `Verified ${shortened(file.name, 100)}.`;
    showResult(verification, opinion, events);
  } catch (error) {
    if (own === run) status.textContent = `The file cannot be read: ${visible((error as Error).message)}`;
  }
}

function showResult(
  verification: BundleVerification,
  opinion: Awaited<ReturnType<typeof secondOpinion>>,
  events: HTMLElement | undefined,
): void {
  const verdict = verdictOf(verification, opinion);
  const heading = h('h2', { id: 'verdict', tabindex: '-1' }, icon(verdict.mark), verdict.title);
  result.replaceChildren(
    h(
      'section',
      { class: `verdict ${verdict.mark}`, 'aria-labelledby': 'verdict' },
      heading,
      h('p', {}, shortened(verdict.text, MAX_TEXT)),
    ),
    h('ul', { class: 'statements' }, ...verdict.statements.map(statementItem)),
    ...findingsOf(verification),
    ...factsOf(verification),
    ...(events ? [events] : []),
  );
  heading.focus();
}

/** @returns undefined for a file that is not a bundle */
async function eventsOf(source: ByteSource, { manifest }: BundleVerification): Promise<HTMLElement | undefined> {
  if (!manifest) return undefined;
  const readPart = readPartOf(await openBundle(source), browserPlatform);
  const digests = new Map(manifest.files.map((found) => [found.name, found]));
  return eventList({
    parts: manifest.parts.length,
    origin: manifest.origin,
    read(index) {
      const part = manifest.parts[index] as (typeof manifest.parts)[0];
      const files = [digests.get(part.events), digests.get(part.proofs)] as [BundledFile, BundledFile];
      return readPart({ part, files, origin: manifest.origin });
    },
  });
}

const MARKS: Readonly<Record<Mark, readonly [sign: string, label: string]>> = {
  holds: ['✓', 'Holds: '],
  fails: ['✗', 'Does not hold: '],
  open: ['!', 'Open: '],
};

function icon(mark: Mark): HTMLElement {
  const [sign, label] = MARKS[mark];
  return h(
    'span',
    { class: 'icon' },
    h('span', { 'aria-hidden': 'true' }, sign),
    h('span', { class: 'spoken' }, label),
  );
}

const statementItem = ({ mark, title, text }: Statement): HTMLElement =>
  h(
    'li',
    { class: mark },
    icon(mark),
    h('div', {}, h('h3', {}, visible(title)), h('p', {}, shortened(text, MAX_TEXT))),
  );

const MAX_FINDINGS = 200;
/** Characters of a sentence that names what a file says, which may be anything. */
const MAX_TEXT = 2_000;

function findingsOf({ findings }: BundleVerification): HTMLElement[] {
  if (findings.length === 0) return [];
  const items = findings.slice(0, MAX_FINDINGS).map(({ kind, position, stream, expected, found }) => {
    const where = position === null ? '' : ` at position ${position}${stream === null ? '' : ` in ${stream}`}`;
    return h('li', {}, h('strong', {}, kind), shortened(`${where}: expected ${expected}; found ${found}`, MAX_TEXT));
  });
  return [h('section', {}, h('h2', {}, `What does not hold (${findings.length})`), h('ul', {}, ...items))];
}

function factsOf({ manifest, key, checkpoints }: BundleVerification): HTMLElement[] {
  if (!manifest) return [];
  const page = manifest.files.find(({ name }) => name === 'verify.html')?.sha256;
  const rows: [label: string, value: string][] = [
    ['Key of the log', key?.vkey ?? manifest.key],
    ['Fingerprint of the key', key?.fingerprint ?? 'cannot be read'],
    ['Last checkpoint', checkpoints.at(-1)?.note ?? 'none holds'],
    ['Log (says the maker)', manifest.origin],
    ['Made (says the maker)', `${manifest.madeAt} by ${manifest.madeBy}`],
    ['Selection (says the maker)', JSON.stringify(manifest.selection, null, 1)],
    ['SHA-256 of verify.html in the file', page ?? 'missing'],
  ];
  const list = h('dl');
  for (const [label, value] of rows) {
    list.append(h('dt', {}, label), h('dd', { class: 'text', dir: 'ltr' }, shortened(value, 4_000)));
  }
  return [h('section', {}, h('h2', {}, 'About the bundle'), list)];
}
