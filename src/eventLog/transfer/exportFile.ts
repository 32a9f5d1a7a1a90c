import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Position } from '../../domain/core/brands.ts';
import type { WrappedKeys } from '../../vault/envelope.ts';
import type { StoredEvent } from '../eventLog.ts';
import { writeNewFile } from '../newFile.ts';
import type { EventTuple } from '../sqlite/eventTuple.ts';
import { splitLine, tupleOfEvent, tupleOfLine } from './eventTuples.ts';
import { TransferFailed } from './history.ts';

// One JSON object per line: a header, the wrapped keys, every event in order of positions, and an end with the SHA-256 of
// all bytes before it. The file and the master key together suffice to read all sealed values.

const FORMAT_VERSION = 1;
const FLUSH_BYTES = 1_048_576;

interface Header {
  readonly svcHistory: number;
  readonly events: number;
}

interface End {
  readonly end: { readonly events: number; readonly sha256: string };
}

export interface OpenedExport {
  /** Position of the last event, according to the header. */
  readonly head: Position;
  readonly keys: WrappedKeys;
  /** All events. @throws TransferFailed at the end when the file is incomplete or damaged */
  events(): Generator<EventTuple>;
  /** The same of a file that `events` has read: lines are not parsed again if svc writes all of them so. */
  eventsAgain(): Generator<EventTuple>;
}

/**
 * Writes an export file, readable by its owner only. The file appears only when it is complete.
 * @throws CannotWriteFile when the file exists already
 */
export const writeExport = (
  path: string,
  { head, keys, events }: { head: Position; keys: WrappedKeys; events: AsyncIterable<StoredEvent> },
): Promise<void> =>
  writeNewFile(path, async (file) => {
    const lines = new LineWriter(file);
    await lines.write({ svcHistory: FORMAT_VERSION, events: head } satisfies Header);
    await lines.write({ installation: keys.installation && toBase64(keys.installation) });
    await lines.write({ keys: keys.keys.map((key) => ({ ...key, wrapped: toBase64(key.wrapped) })) });
    let count = 0;
    for await (const event of events) {
      await lines.write({ event });
      count += 1;
    }
    await lines.write({ end: { events: count, sha256: lines.digest() } } satisfies End);
    await lines.flush();
  });

class LineWriter {
  readonly #file: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #pending = '';

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async write(value: unknown): Promise<void> {
    this.#pending += `${JSON.stringify(value)}\n`;
    if (this.#pending.length >= FLUSH_BYTES) await this.flush();
  }

  /** SHA-256 of all lines so far. */
  digest(): string {
    return this.#hash.copy().update(this.#pending).digest('hex');
  }

  async flush(): Promise<void> {
    this.#hash.update(this.#pending);
    // Unlike `write`, it goes on where the disk took only a part.
    await this.#file.appendFile(this.#pending);
    this.#pending = '';
  }
}

/** Reads the header and the keys of a file. @throws TransferFailed when it is not an export, or from a newer svc */
export function openExport(path: string): OpenedExport {
  if (!existsSync(path)) throw new TransferFailed(`${path} does not exist`);
  const lines = readLines(path);
  const [header, installation, keys] = [readValue(lines, path), readValue(lines, path), readValue(lines, path)];
  lines.return(undefined);
  const { svcHistory, events } = header as Partial<Header>;
  if (svcHistory === undefined || events === undefined) throw new TransferFailed(`${path} is not an export of svc`);
  if (svcHistory > FORMAT_VERSION)
    throw new TransferFailed(`${path} was exported by a newer svc. Import it with that version.`);
  let canSplit = true;
  const wrapped = (installation as { installation?: string }).installation;
  return {
    head: events as Position,
    keys: {
      installation: wrapped === undefined ? undefined : Buffer.from(wrapped, 'base64'),
      keys: (keys as { keys: { id: string; subject: string; wrapped: string }[] }).keys.map((key) => ({
        ...key,
        wrapped: Buffer.from(key.wrapped, 'base64'),
      })),
    },
    events: () => readEvents(path, events, () => (canSplit = false)),
    eventsAgain: () => (canSplit ? splitEvents(path) : readEvents(path, events)),
  };
}

/** @param onOther called with each line that svc would have written in another way */
function* readEvents(path: string, expected: number, onOther: () => void = () => {}): Generator<EventTuple> {
  const hash = createHash('sha256');
  let count = 0;
  for (const { text, bytes } of readLines(path)) {
    const tuple = tupleOfLine(text);
    const value = tuple ? undefined : parseLine(text, path);
    if (isEnd(value)) {
      if (value.end.events !== count || count !== expected)
        throw incompleteFile(path, `it has ${count} of ${expected} events`);
      if (value.end.sha256 !== hash.digest('hex')) throw incompleteFile(path, 'its content does not match its digest');
      return;
    }
    hash.update(bytes);
    if (tuple) {
      count += 1;
      yield tuple;
    } else if (typeof value === 'object' && value !== null && 'event' in value) {
      if (!isEvent(value.event)) throw incompleteFile(path, `event ${count + 1} has no metadata`);
      count += 1;
      onOther();
      yield tupleOfEvent(value.event);
    }
  }
  throw incompleteFile(path, 'its end is missing');
}

function* splitEvents(path: string): Generator<EventTuple> {
  for (const { text } of readLines(path)) {
    const split = splitLine(text);
    if (split) yield split;
  }
}

const isEvent = (value: unknown): value is StoredEvent =>
  typeof (value as StoredEvent | null)?.metadata === 'object' && (value as StoredEvent).metadata !== null;
const isEnd = (value: unknown): value is End => typeof value === 'object' && value !== null && 'end' in value;
const incompleteFile = (path: string, reason: string) =>
  new TransferFailed(`${path} is incomplete or damaged: ${reason}. Export it again.`);

const LINE_FEED = 10;
/** Bytes that are read at once; nearly all lines are shorter. */
const BLOCK_BYTES = 1_048_576;

interface Line {
  /** Without its end. */
  readonly text: string;
  /** With its end, until the next line is asked for. */
  readonly bytes: Uint8Array;
}

/** Yields the lines of a file, also a last one that does not end. */
function* readLines(path: string): Generator<Line> {
  const file = openSync(path, 'r');
  let block = Buffer.allocUnsafe(BLOCK_BYTES);
  let kept = 0;
  try {
    for (;;) {
      if (kept === block.length) block = Buffer.concat([block], block.length * 2);
      const read = readSync(file, block, kept, block.length - kept, null);
      const filled = kept + read;
      let start = 0;
      for (let end = block.indexOf(LINE_FEED); end >= 0 && end < filled; end = block.indexOf(LINE_FEED, start)) {
        yield { text: block.toString('utf8', start, end), bytes: block.subarray(start, end + 1) };
        start = end + 1;
      }
      if (read === 0) {
        if (start < filled) yield { text: block.toString('utf8', start, filled), bytes: block.subarray(start, filled) };
        return;
      }
      block.copy(block, 0, start, filled);
      kept = filled - start;
    }
  } finally {
    closeSync(file);
  }
}

function readValue(lines: Generator<Line>, path: string): unknown {
  const { value, done } = lines.next();
  return parseLine(done ? '' : value.text, path);
}

function parseLine(line: string, path: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw incompleteFile(path, 'a line is not valid JSON');
  }
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
