import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untouchedFile } from '../dataFolder/untouchedFile.ts';
import { parseConnectionString } from '../eventLog/eventstore/client/connectionString.ts';
import { openEventStore } from '../eventLog/eventstore/eventStore.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { EVENT_COLUMNS, type EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import { Faults } from '../lib/faults.ts';
import type { Print } from '../lib/log/line.ts';
import type { Finding, Verification } from './finding.ts';
import { type VerifyFolderOptions, verifyFolder } from './verifyFolder.ts';
import { CannotVerify } from './verifyOptions.ts';

export interface VerifyEventStoreOptions extends Omit<VerifyFolderOptions, 'logName' | 'logPath'> {
  /** The connection string. */
  readonly url: string;
  /** Called with a line while the server cannot be reached. */
  readonly print: (line: string) => void;
  /** How long to wait for the server. */
  readonly waitMs?: number;
}

const WAIT_MS = 20_000;

/**
 * Verifies the history in EventStoreDB: reads all of it into a temporary mirror, verifies that like the log of a folder against
 * the marks and the read models of this node, and compares it with the mirror of this node. Nothing is written to the server.
 * @throws CannotVerify when the server cannot be reached
 */
export async function verifyEventStore(options: VerifyEventStoreOptions): Promise<Verification> {
  const { folder, onStep = () => {} } = options;
  const temporary = mkdtempSync(join(tmpdir(), 'svc-verify-'));
  try {
    const logPath = join(temporary, 'mirror.sqlite');
    onStep('Reading EventStoreDB');
    await readStore(options, logPath);
    const result = await verifyFolder({ ...options, logName: 'mirror.sqlite', logPath });
    const own = join(folder, 'mirror.sqlite');
    if (!existsSync(own)) return { ...result, notes: [...result.notes, 'This node has no mirror to compare with.'] };
    onStep('Comparing the mirror of this node');
    const different = compareMirror(untouchedFile(own, temporary).location, logPath);
    const isKnown = different && result.findings.some(({ position }) => position === different.position);
    const findings = different && !isKnown ? [...result.findings, different] : result.findings;
    return { ...result, findings, ok: findings.length === 0 };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function readStore({ url, print, waitMs = WAIT_MS }: VerifyEventStoreOptions, path: string): Promise<void> {
  const waiting = new AbortController();
  const began = performance.now();
  const printAndAbort: Print = (line, details) => {
    print(line);
    if (details?.code === 'store_awaited' && performance.now() - began > waitMs) waiting.abort();
  };
  try {
    const faults = new Faults({ print: printAndAbort, now: Date.now });
    const settings = parseConnectionString(url);
    const store = await openEventStore({
      settings,
      path,
      node: 'verify',
      print: printAndAbort,
      faults,
      signal: waiting.signal,
    });
    try {
      await store.catchUp();
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!waiting.signal.aborted) throw error;
    throw new CannotVerify(`EventStoreDB cannot be reached. Check SVC_EVENTSTORE_URL.`, { cause: error });
  }
}

/** The first event that the mirror of this node has and the store has otherwise. It may be behind the store. */
function compareMirror(own: string, fresh: string): Finding | undefined {
  const [left, right] = [openForReading(own), openForReading(fresh)];
  try {
    const rows = [left, right].map((database) => {
      const statement = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events ORDER BY position`);
      statement.setReturnArrays(true);
      return statement.iterate() as unknown as Iterator<EventTuple>;
    });
    const [mine, theirs] = rows as [Iterator<EventTuple>, Iterator<EventTuple>];
    for (let next = mine.next(); !next.done; next = mine.next()) {
      const other = theirs.next();
      const [position, stream, , id] = next.value;
      if (other.done) {
        const expected = `${id}, which the mirror of this node has`;
        return { kind: 'truncated', position, stream, expected, found: 'no event in EventStoreDB' };
      }
      if (next.value.every((column, index) => column === other.value[index])) continue;
      const found = `${other.value[3]} of ${other.value[1]}, with other content`;
      return { kind: 'edited', position, stream, expected: `${id}, as the mirror of this node has it`, found };
    }
    return undefined;
  } finally {
    left.close();
    right.close();
  }
}
