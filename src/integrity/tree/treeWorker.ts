import { constants, setPriority } from 'node:os';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { collectGarbage, MIN_EVENTS_FOR_COLLECTION } from '../../lib/collectGarbage.ts';
import { serveThread } from '../../lib/threads/serveThread.ts';
import { type Transfer, transfer } from '../../lib/threads/transfer.ts';
import { TreeFollower } from './treeFollower.ts';
import type { TreeThread } from './treeProtocol.ts';

// Program of the thread that grows the tree from the log's file and reads it.

const REPORT_INTERVAL_MS = 500;
const RETRY_MS = 5_000;
const POLL_INTERVAL_MS = 5;
const CHECK_MS = 1_000;

// Requests have priority. Only Linux applies this to the thread alone; elsewhere it would affect the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

await serveThread<TreeThread>(({ path, logPath, gatherMs }, report) => {
  const tree = new TreeFollower({
    path,
    logPath,
    onRemake: (reason) => report('remaking', reason),
    onBreak: (found) => report('broken', found),
  });
  let isClosing = false;
  let retry: NodeJS.Timeout | undefined;
  let lastComplete = tree.size;

  /** Called when the tree has grown as far as it was asked to. */
  async function onComplete(): Promise<void> {
    const grown = tree.size - lastComplete;
    lastComplete = tree.size;
    // What a long growth left would stay for as long as no event comes.
    if (grown >= MIN_EVENTS_FOR_COLLECTION) await collectGarbage();
  }

  async function catchUp(): Promise<void> {
    if (isClosing) return;
    let failure: string | undefined;
    let reportedAt = performance.now();
    try {
      tree.checkFile();
      while (!isClosing && tree.step()) {
        if (performance.now() - reportedAt > REPORT_INTERVAL_MS) {
          report('grown', tree.size);
          reportedAt = performance.now();
        }
        await nextTurn();
      }
    } catch (error) {
      failure = (error as Error).message;
    }
    if (isClosing) return;
    if (failure === undefined) await onComplete();
    report('caughtUp', { size: tree.size, failure });
    clearTimeout(retry);
    if (failure !== undefined) retry = setTimeout(catchUp, RETRY_MS).unref();
  }

  const checking = setInterval(() => {
    try {
      tree.checkFile();
    } catch {
      // The next growth fails as well, and says so.
    }
  }, CHECK_MS).unref();

  return {
    requests: {
      async reached({ position, timeoutMs }) {
        const deadline = performance.now() + timeoutMs;
        while (tree.size < position && !isClosing) {
          const hasMore = tree.step();
          if (tree.size >= position || performance.now() >= deadline) break;
          await (hasMore ? nextTurn() : delay(POLL_INTERVAL_MS));
        }
        if (tree.size >= position) await onComplete();
        return tree.size;
      },
      root: (size) => tree.read((reader) => ({ size: size ?? reader.size(), root: new Uint8Array(reader.root(size)) })),
      inclusionProof: ({ index, size }) => concatenated(tree.read((reader) => reader.inclusionProof(index, size))),
      consistencyProof: ({ from, to }) => concatenated(tree.read((reader) => reader.consistencyProof(from, to))),
      entry: (index) => moved(tree.read((reader) => reader.entry(index))),
      archivedRequest(requestId) {
        const archived = ArchivedEvents.open(archivePathOf(logPath));
        try {
          return archived?.findRequest(requestId);
        } finally {
          archived?.close();
        }
      },
      tile: (name) => moved(tree.read((reader) => reader.read(name))),
    },
    notifications: {
      async logAdvanced() {
        await delay(gatherMs, undefined, { ref: false });
        await catchUp();
      },
    },
    stop() {
      isClosing = true;
      clearInterval(checking);
      tree.close();
    },
  };
});

const concatenated = (hashes: readonly Buffer[]) => moved(Buffer.concat(hashes));

/** Copies the bytes, which may be a small part of a large buffer, and moves the copy. */
function moved<Bytes extends Buffer | undefined>(bytes: Bytes): Transfer<Uint8Array> | Extract<Bytes, undefined> {
  if (!bytes) return undefined as Extract<Bytes, undefined>;
  const copy = new Uint8Array(bytes);
  return transfer(copy, [copy.buffer]);
}
