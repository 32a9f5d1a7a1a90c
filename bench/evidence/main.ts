import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openForReading } from '../../src/eventLog/sqlite/database.ts';
import { verifyBundleFile } from '../../src/evidence/files/verifyBundleFile.ts';
import { makeEvidence } from '../../src/evidence/make/makeEvidence.ts';
import type { EventSelection } from '../../src/evidence/make/selection.ts';
import { openNoteStore } from '../../src/integrity/checkpoints/noteStore.ts';
import { signCheckpoint } from '../../src/integrity/notes/checkpoint.ts';
import { signingKeyOf } from '../../src/integrity/notes/noteKeys.ts';
import { TreeFollower } from '../../src/integrity/tree/treeFollower.ts';
import { fillLog } from '../startup/fillLog.ts';

// `npm run bench:evidence -- [--events 1000000] [--folder <kept>]`: fills a log through the event sink, makes its tree, signs a
// checkpoint, and then makes and verifies bundles of all events, of a request and of one type.

const { values } = parseArgs({
  options: { events: { type: 'string', default: '1000000' }, folder: { type: 'string' } },
});
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-evidence-')));
const logPath = join(folder, 'log.sqlite');
const print = (line: string) => process.stdout.write(`${line}\n`);
const MIB = 2 ** 20;

try {
  if (!existsSync(logPath)) await fillLog(logPath, { events: Number(values.events), clients: 2_000, print });
  print(`${((await stat(logPath)).size / MIB).toFixed(0)} MiB of log`);
  await timed('tree and checkpoint', sign);
  await measure('a request', { requests: [requestIdIn(logPath)] });
  await measure('one type', { types: ['ApiKeyCreated'] });
  await measure('all events', {});
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

/** The request id of an event in the middle. */
function requestIdIn(path: string): string {
  using database = openForReading(path);
  const row = database.prepare(`SELECT data ->> '$.requestId' AS id FROM events WHERE position = ?`);
  return row.get(Math.floor(Number(values.events) / 2))?.id as string;
}

async function sign(): Promise<string> {
  const notes = join(folder, 'checkpoints.sqlite');
  const path = join(folder, 'tree.sqlite');
  const tree = new TreeFollower({ path, logPath, onRemake: () => undefined, onBreak: () => undefined });
  try {
    while (tree.step()) await new Promise(setImmediate);
    const { size } = tree;
    const root = tree.read((reader) => reader.root(size));
    const key = signingKeyOf(randomBytes(32));
    const origin = 'svc/0123456789abcdef';
    await rm(notes, { force: true });
    const store = openNoteStore(notes);
    const note = signCheckpoint({ origin, size, root, extensions: [] }, [key]);
    const publicKey = key.publicKey.toString('hex');
    store.append({
      seq: 1,
      kind: 'checkpoint',
      origin,
      size,
      root: root.toString('hex'),
      note,
      publicKey,
      signedAt: 1,
    });
    store.close();
    return `${size} leaves`;
  } finally {
    tree.close();
  }
}

async function measure(name: string, selection: EventSelection): Promise<void> {
  const path = join(folder, 'bench.zip');
  await rm(path, { force: true });
  try {
    await timed(`${name}: made`, async () => {
      const options = {
        folder,
        logName: 'log.sqlite',
        selection,
        path,
        madeBy: 'bench',
        madeAt: '2026-01-01T00:00:00Z',
      };
      const { events, bytes } = await makeEvidence(options);
      return `${events} events, ${(bytes / MIB).toFixed(1)} MiB`;
    });
    for (const threads of new Set([1, availableParallelism()])) {
      await timed(`${name}: verified by ${threads} threads`, async () => {
        const { ok, events } = await verifyBundleFile(path, { threads });
        return `${events} events, ${ok ? 'intact' : 'NOT INTACT'}`;
      });
    }
  } catch (error) {
    print(`${name}: ${(error as Error).message}`);
  } finally {
    await rm(path, { force: true });
  }
}

async function timed(name: string, work: () => Promise<string>): Promise<void> {
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  let rss = 0;
  const sampling = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 50);
  const text = await work().finally(() => clearInterval(sampling));
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  print(
    `${name}: ${text} in ${seconds} s, ${((user + system) / 1e6).toFixed(1)} s of CPU, at most ${(rss / MIB).toFixed(0)} MiB`,
  );
}
