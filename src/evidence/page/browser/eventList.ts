import type { PartTexts } from '../../check/checkPart.ts';
import { checkLine, linesOf } from '../../check/checkPart.ts';
import { parseJsonValue } from '../../format/canonicalJson.ts';
import type { EventLine } from '../../format/eventLine.ts';
import { button, formatCount, h, shortened, visible } from './dom.ts';

const PAGE = 50;
const MAX_SHOWN = 20_000;

export interface EventListOptions {
  readonly parts: number;
  readonly origin: string;
  /** Reads a part, whose digests are verified. */
  readonly read: (part: number) => Promise<Pick<PartTexts, 'events'>>;
}

/** The events of a bundle by pages, with a search over all of their text. Holds one part of the events at a time. */
export function eventList({ parts, origin, read }: EventListOptions): HTMLElement {
  const list = h('ol', { class: 'events' });
  const status = h('p', { class: 'quiet', role: 'status' });
  const more = button('Show more', () => void show());
  const input = h('input', { type: 'search', id: 'search', autocomplete: 'off', spellcheck: 'false' });
  const form = h('form', { class: 'search', role: 'search' }, h('label', { for: 'search' }, 'Search'), input);
  form.append(h('button', { type: 'submit' }, 'Search'));
  let matches = matching('');
  let run = 0;

  async function* matching(text: string): AsyncGenerator<string> {
    const wanted = text.toLowerCase();
    for (let part = 0; part < parts; part += 1) {
      for (const line of linesOf((await read(part)).events)) if (line.toLowerCase().includes(wanted)) yield line;
      if (parts > 1) status.textContent = `Looked at part ${part + 1} of ${parts}.`;
    }
  }

  async function show(): Promise<void> {
    const current = run;
    more.hidden = true;
    let isEnd = false;
    let shown = 0;
    for (; shown < PAGE; shown += 1) {
      const next = await matches.next();
      if (current !== run) return;
      isEnd = next.done === true;
      if (next.done) break;
      list.append(eventItem(next.value, origin));
    }
    more.hidden = isEnd;
    const count = formatCount(list.childElementCount, 'event');
    status.textContent =
      list.childElementCount === 0
        ? 'No event has this text.'
        : isEnd
          ? `${count} shown.`
          : `The first ${count} shown.`;
  }

  function restart(): void {
    run += 1;
    list.replaceChildren();
    matches = matching(input.value.trim());
    show().catch((error: Error) => {
      status.textContent = `The events cannot be read: ${error.message}.`;
    });
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    restart();
  });
  restart();
  return h(
    'section',
    { 'aria-labelledby': 'events-title' },
    h('h2', { id: 'events-title' }, 'Events'),
    form,
    status,
    list,
    more,
  );
}

function eventItem(text: string, origin: string): HTMLElement {
  const { line, problem, isRecomputed } = checkLine(text, origin);
  if (!line) return h('li', {}, h('p', { class: 'badge fails' }, 'Not an event'), textBlock(text));
  const badge = problem
    ? h('span', { class: 'badge fails' }, 'Changed')
    : isRecomputed
      ? h('span', { class: 'badge holds' }, 'Data proved')
      : h('span', { class: 'badge open' }, 'Data not proved');
  const summary = h(
    'summary',
    {},
    h('span', { class: 'position' }, shortened(line.position, 20)),
    h('span', { class: 'type' }, shortened(line.type, 80)),
    h('time', {}, shortened(line.time ?? `${line.timems} ms`, 40)),
    badge,
  );
  const details = h('details', {}, summary);
  // Only what is opened is rendered: a page of events may be large.
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(...eventDetails(line, problem?.found));
  });
  return h('li', {}, details);
}

function eventDetails(line: EventLine, problem: string | undefined): HTMLElement[] {
  const rows: [label: string, value: string | undefined][] = [
    ['Problem', problem],
    ['Stream', `${line.subject}, revision ${line.revision}`],
    ['Id', line.id],
    ['Request or call', line.correlationid],
    ['Hidden fields of the data', line.datahidden],
    ['Hidden fields of the metadata', line.metadatahidden],
    ['SHA-256 of the stored data', line.datasha256],
    ['SHA-256 of the stored metadata', line.metadatasha256],
  ];
  const facts = h('dl');
  for (const [label, value] of rows) {
    if (value !== undefined) facts.append(h('dt', {}, label), h('dd', {}, textBlock(value)));
  }
  const metadata = line.metadata === undefined ? undefined : parseJsonValue(line.metadata);
  return [
    facts,
    h('h3', {}, 'Data'),
    line.data === undefined ? h('p', {}, 'The stored data is not JSON; it is left out.') : jsonBlock(line.data),
    h(
      'h3',
      {},
      line.metadataproof === 'recomputable' ? 'Metadata (proved)' : 'Metadata (not proved: fields are hidden)',
    ),
    metadata === undefined ? h('p', {}, 'The stored metadata is not JSON; it is left out.') : jsonBlock(metadata),
  ];
}

const jsonBlock = (value: unknown): HTMLElement =>
  h('pre', { tabindex: '0' }, textBlock(JSON.stringify(value, null, 2)));

/** A text, of which only the beginning is shown when it is long. */
function textBlock(text: string): HTMLElement {
  const shown = h('span', { class: 'text', dir: 'ltr' }, shortened(text, MAX_SHOWN));
  if (text.length <= MAX_SHOWN) return shown;
  const all = button(`Show all ${text.length.toLocaleString('en')} characters`, () => {
    shown.textContent = visible(text);
    all.remove();
  });
  return h('span', {}, shown, all);
}
