import { newEventId } from '../../../src/eventLog/eventId.ts';
import { chainEvent, NO_HASH } from '../../../src/eventLog/hashChain.ts';
import type { FindingKind } from '../../../src/verification/finding.ts';
import type { Random } from '../../support/random.ts';

/** A row of `events`. */
export interface LogRow {
  position: number;
  stream: string;
  revision: number;
  id: string;
  type: string;
  version: number;
  time: number;
  data: string;
  metadata: string;
}

/** What a forger does to a log, and what tells it. */
export interface Forgery {
  readonly name: string;
  /** @returns the rows of the forged log, in order of positions */
  readonly forge: (rows: LogRow[], random: Random) => LogRow[];
  /** One of these kinds must be found in a folder with its marks; none: it needs a published checkpoint. */
  readonly inFolder: readonly FindingKind[];
  /** The same for the log alone: without marks and read models, or as an export. */
  readonly alone: readonly FindingKind[];
  /** The same for the log beside its `tree.sqlite`. */
  readonly besideTree: readonly FindingKind[];
}

/** The kinds by which a published checkpoint tells a forgery that cannot be told without. */
export const BY_CHECKPOINT: readonly FindingKind[] = ['rehashed', 'truncated'];

/** Every way to forge the rows of a log. Those with an empty list need a published checkpoint to be told. */
export const forgeries: readonly Forgery[] = [
  {
    name: 'edits an event',
    forge: (rows, random) => editData(rows, aRequest(rows, random)),
    inFolder: ['edited'],
    alone: ['edited'],
    besideTree: ['edited'],
  },
  {
    name: 'edits an event and gives it a new hash',
    forge: (rows, random) => {
      const row = aRequest(rows, random);
      editData(rows, row);
      rehash(row, chainBefore(row));
      return rows;
    },
    inFolder: ['rehashed'],
    alone: ['rehashed'],
    besideTree: ['rehashed'],
  },
  {
    name: 'edits an event and rehashes its stream to the end',
    forge: (rows, random) => {
      const row = aRequest(rows, random, (rows.at(-1) as LogRow).stream);
      editData(rows, row);
      return rechain(rows, row.stream);
    },
    inFolder: ['rehashed'],
    alone: [],
    besideTree: ['rehashed'],
  },
  {
    name: 'changes who acted',
    forge: (rows, random) => {
      const row = random.pick(rows);
      row.metadata = row.metadata.replace('"actor":{"kind":"', '"actor":{"kind":"x');
      return rows;
    },
    inFolder: ['edited'],
    alone: ['edited'],
    besideTree: ['edited'],
  },
  {
    name: 'respells the JSON of an event',
    forge: (rows, random) => {
      const row = aRequest(rows, random);
      row.data = row.data.replace('"keyId":', '"keyId": ');
      return rows;
    },
    inFolder: ['bytes not canonical'],
    // An export has one spelling only: that of its lines.
    alone: ['bytes not canonical'],
    besideTree: ['bytes not canonical'],
  },
  {
    name: 'deletes an event',
    forge: (rows, random) => without(rows, aRequest(rows, random)),
    inFolder: ['deleted'],
    alone: ['deleted'],
    besideTree: ['deleted'],
  },
  {
    name: 'deletes an event and renumbers positions',
    forge: (rows, random) => renumber(without(rows, aRequest(rows, random))),
    inFolder: ['deleted'],
    alone: ['deleted'],
    besideTree: ['deleted'],
  },
  {
    name: 'deletes a stream and renumbers positions',
    forge: (rows, random) => renumber(withoutStream(rows, aStreamOf(rows, 'account-', random))),
    inFolder: ['deleted', 'stream missing'],
    alone: ['stream missing'],
    besideTree: ['deleted', 'stream missing'],
  },
  ...[1, 7, 50].map(
    (count): Forgery => ({
      name: `cuts the last ${count}`,
      forge: (rows) => rows.slice(0, -count),
      inFolder: ['truncated'],
      alone: [],
      besideTree: ['truncated'],
    }),
  ),
  {
    name: 'changes the last event of the log and rehashes it',
    forge: (rows) => {
      const row = rows.at(-1) as LogRow;
      row.time += 1;
      rehash(row, chainBefore(row));
      return rows;
    },
    inFolder: ['rehashed'],
    alone: [],
    besideTree: ['rehashed'],
  },
  {
    name: 'changes the last event of a stream and rehashes it',
    forge: (rows, random) => {
      const stream = aStreamOf(rows, 'account-', random);
      const row = rows.findLast((each) => each.stream === stream) as LogRow;
      row.data = row.data.replace('"planType":"plus"', '"planType":"pro"');
      rehash(row, chainBefore(row));
      return rows;
    },
    inFolder: ['rehashed'],
    alone: [],
    besideTree: ['rehashed'],
  },
  {
    name: 'swaps neighbours of two streams',
    forge: (rows, random) => {
      const at = random.pick(neighbours(rows));
      return renumber([...rows.slice(0, at), rows[at + 1] as LogRow, rows[at] as LogRow, ...rows.slice(at + 2)]);
    },
    inFolder: ['reordered'],
    alone: [],
    besideTree: ['reordered'],
  },
  {
    name: 'repeats the end of a request',
    forge: (rows, random) => appendCopy(rows, aRequest(rows, random)),
    inFolder: ['inserted'],
    alone: ['inserted'],
    besideTree: ['inserted'],
  },
  {
    name: 'repeats the content of an administrative event',
    forge: (rows, random) => {
      const stream = aStreamOf(rows, 'apiKey-', random);
      return appendCopy(rows, rows.find((row) => row.stream === stream) as LogRow);
    },
    inFolder: ['inserted'],
    alone: ['inserted'],
    besideTree: ['inserted'],
  },
  {
    name: 'adds a request of a node behind its stop',
    forge: (rows) => {
      const like = rows.findLast(({ stream }) => stream.startsWith('requests-n2.b1_')) as LogRow;
      const { requestId } = JSON.parse(like.data) as { requestId: string };
      const other = newEventId();
      const [data, metadata] = [like.data, like.metadata].map((text) => text.replaceAll(requestId, other));
      return appendCopy(rows, { ...like, data: data as string, metadata: metadata as string });
    },
    inFolder: ['inserted'],
    alone: ['inserted'],
    besideTree: ['inserted'],
  },
  {
    name: 'inserts an event that svc did not write',
    forge: (rows) => {
      const last = rows.at(-1) as LogRow;
      const foreign = { ...last, position: last.position + 1, stream: 'foreign-1', revision: 0, id: newEventId() };
      return [...rows, { ...foreign, metadata: '{"schemaVersion":2}' }];
    },
    inFolder: ['inserted'],
    alone: ['inserted'],
    besideTree: ['inserted'],
  },
];

const requestsOf = (rows: readonly LogRow[], stream?: string): LogRow[] =>
  rows.filter((row) => row.type === 'RequestCompleted' && (stream === undefined || row.stream === stream));

/** A request that is not the last event of its stream. */
function aRequest(rows: readonly LogRow[], random: Random, stream?: string): LogRow {
  const inside = requestsOf(rows, stream).filter((row) =>
    rows.some((other) => other.stream === row.stream && other.revision === row.revision + 1),
  );
  return random.pick(inside);
}

const aStreamOf = (rows: readonly LogRow[], prefix: string, random: Random): string =>
  random.pick(rows.filter(({ stream }) => stream.startsWith(prefix)).map(({ stream }) => stream));

function editData(rows: LogRow[], row: LogRow): LogRow[] {
  row.data = row.data.replace(/"latencyMs":\d+/, '"latencyMs":1');
  return rows;
}

const without = (rows: readonly LogRow[], row: LogRow): LogRow[] => rows.filter((each) => each !== row);
const withoutStream = (rows: readonly LogRow[], stream: string): LogRow[] =>
  rows.filter((row) => row.stream !== stream);

function renumber(rows: LogRow[]): LogRow[] {
  for (const [index, row] of rows.entries()) row.position = index + 1;
  return rows;
}

/** Places of events that are followed by one of another stream, before the last ones. */
const neighbours = (rows: readonly LogRow[]): number[] =>
  rows.flatMap((row, at) => (at < rows.length - 3 && rows[at + 1]?.stream !== row.stream ? [at] : []));

const chainBefore = (row: LogRow): string => (JSON.parse(row.metadata) as { previousHash: string }).previousHash;

/** Gives an event the hash of its content. */
function rehash(row: LogRow, previousHash: string): string {
  const { previousHash: _, hash: __, ...unchained } = JSON.parse(row.metadata) as Record<string, unknown>;
  const chained = chainEvent({ ...row, metadata: JSON.stringify(unchained) }, row.stream, row.revision, previousHash);
  row.metadata = chained.metadata;
  return chained.hash;
}

export function rechain(rows: LogRow[], stream: string): LogRow[] {
  let head = NO_HASH;
  for (const row of rows) if (row.stream === stream) head = rehash(row, head);
  return rows;
}

/** Appends a copy of an event to its stream, as a writer would. */
function appendCopy(rows: LogRow[], row: LogRow): LogRow[] {
  const last = rows.findLast(({ stream }) => stream === row.stream) as LogRow;
  const copy = { ...row, id: newEventId(), revision: last.revision + 1, position: rows.length + 1 };
  rehash(copy, (JSON.parse(last.metadata) as { hash: string }).hash);
  return [...rows, copy];
}
