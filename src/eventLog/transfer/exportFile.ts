import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Position } from '../../domain/core/brands.ts';
import type { WrappedKeys } from '../../vault/envelope.ts';
import type { StoredEvent } from '../eventLog.ts';
import { writeNewFile } from '../newFile.ts';
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
  events(): AsyncGenerator<StoredEvent>;
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
export async function openExport(path: string): Promise<OpenedExport> {
  if (!existsSync(path)) throw new TransferFailed(`${path} does not exist`);
  const lines = readLines(path);
  const [header, installation, keys] = [
    await readValue(lines, path),
    await readValue(lines, path),
    await readValue(lines, path),
  ];
  await lines.return(undefined);
  const { svcHistory, events } = header as Partial<Header>;
  if (svcHistory === undefined || events === undefined) throw new TransferFailed(`${path} is not an export of svc`);
  if (svcHistory > FORMAT_VERSION)
    throw new TransferFailed(`${path} was exported by a newer svc. Import it with that version.`);
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
    events: () => readEvents(path, events),
  };
}

async function* readEvents(path: string, expected: number): AsyncGenerator<StoredEvent> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const line of readLines(path)) {
    const value = parseLine(line, path);
    if (isEnd(value)) {
      if (value.end.events !== count || count !== expected)
        throw incompleteFile(path, `it has ${count} of ${expected} events`);
      if (value.end.sha256 !== hash.digest('hex')) throw incompleteFile(path, 'its content does not match its digest');
      return;
    }
    hash.update(`${line}\n`);
    if (typeof value === 'object' && value !== null && 'event' in value) {
      count += 1;
      yield value.event as StoredEvent;
    }
  }
  throw incompleteFile(path, 'its end is missing');
}

const isEnd = (value: unknown): value is End => typeof value === 'object' && value !== null && 'end' in value;
const incompleteFile = (path: string, reason: string) =>
  new TransferFailed(`${path} is incomplete or damaged: ${reason}. Export it again.`);

async function* readLines(path: string): AsyncGenerator<string, void, undefined> {
  const input = createReadStream(path);
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } finally {
    input.destroy();
  }
}

async function readValue(lines: AsyncGenerator<string>, path: string): Promise<unknown> {
  const { value, done } = await lines.next();
  return parseLine(done ? '' : value, path);
}

function parseLine(line: string, path: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw incompleteFile(path, 'a line is not valid JSON');
  }
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
