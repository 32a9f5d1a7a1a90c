import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Position } from '../../domain/core/brands.ts';
import type { WrappedKeys } from '../../vault/envelope.ts';
import type { StoredEvent } from '../eventLog.ts';
import { TransferFailed } from './history.ts';

// One JSON object a line: what the file is, the wrapped keys, every event in the order of positions, and an end that
// names the SHA-256 of all bytes before it. Whoever has the file and the master key can read what the vault seals.

const FORMAT = 1;
const FLUSH_BYTES = 1_048_576;

interface Header {
  readonly svcHistory: number;
  readonly events: number;
}

interface End {
  readonly end: { readonly events: number; readonly sha256: string };
}

export interface Exported {
  /** How many events the file says it has. */
  readonly head: Position;
  readonly keys: WrappedKeys;
  /** From the first on. @throws TransferFailed at the end when the file is not whole */
  events(): AsyncGenerator<StoredEvent>;
}

/**
 * Writes a file that is there as a whole or not at all, readable by its owner only.
 * @throws TransferFailed when there is one of that name
 */
export async function writeExport(
  path: string,
  { head, keys, events }: { head: Position; keys: WrappedKeys; events: AsyncIterable<StoredEvent> },
): Promise<void> {
  if (existsSync(path)) throw new TransferFailed(`${path} is there already; name another file`);
  const draft = `${path}.part`;
  const file = await open(draft, 'w', 0o600);
  try {
    const lines = new Lines(file);
    await lines.write({ svcHistory: FORMAT, events: head } satisfies Header);
    await lines.write({ installation: keys.installation && textOf(keys.installation) });
    await lines.write({ keys: keys.keys.map((key) => ({ ...key, wrapped: textOf(key.wrapped) })) });
    let count = 0;
    for await (const event of events) {
      await lines.write({ event });
      count += 1;
    }
    await lines.write({ end: { events: count, sha256: lines.digest() } } satisfies End);
    await lines.flush();
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

class Lines {
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

  /** Of everything that was written so far. */
  digest(): string {
    return this.#hash.copy().update(this.#pending).digest('hex');
  }

  async flush(): Promise<void> {
    this.#hash.update(this.#pending);
    await this.#file.write(this.#pending);
    this.#pending = '';
  }
}

/** Reads what stands at the beginning of a file. @throws TransferFailed when it is no export, or of a newer svc */
export async function openExport(path: string): Promise<Exported> {
  if (!existsSync(path)) throw new TransferFailed(`${path} is not there`);
  const lines = linesOf(path);
  const [header, installation, keys] = [
    await nextIn(lines, path),
    await nextIn(lines, path),
    await nextIn(lines, path),
  ];
  await lines.return(undefined);
  const { svcHistory, events } = header as Partial<Header>;
  if (svcHistory === undefined || events === undefined) throw new TransferFailed(`${path} is no export of svc`);
  if (svcHistory > FORMAT) throw new TransferFailed(`${path} was made by a newer svc; use that one`);
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
    events: () => eventsIn(path, events),
  };
}

async function* eventsIn(path: string, expected: number): AsyncGenerator<StoredEvent> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const line of linesOf(path)) {
    const value = parsed(line, path);
    if (isEnd(value)) {
      if (value.end.events !== count || count !== expected)
        throw notWhole(path, `${count} of ${expected} events are there`);
      if (value.end.sha256 !== hash.digest('hex')) throw notWhole(path, 'its content does not match its digest');
      return;
    }
    hash.update(`${line}\n`);
    if (typeof value === 'object' && value !== null && 'event' in value) {
      count += 1;
      yield value.event as StoredEvent;
    }
  }
  throw notWhole(path, 'its end is missing');
}

const isEnd = (value: unknown): value is End => typeof value === 'object' && value !== null && 'end' in value;
const notWhole = (path: string, why: string) => new TransferFailed(`${path} is not whole: ${why}; export it again`);

async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  const input = createReadStream(path);
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } finally {
    input.destroy();
  }
}

async function nextIn(lines: AsyncGenerator<string>, path: string): Promise<unknown> {
  const { value, done } = await lines.next();
  return parsed(done ? '' : value, path);
}

function parsed(line: string, path: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw notWhole(path, 'a line in it is no JSON');
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
