import { join } from 'node:path';
import type { LogBreak } from '../../eventLog/continuity.ts';
import { startThread, type Thread } from '../../lib/threads/startThread.ts';
import { HASH_BYTES } from '../merkle/hashes.ts';
import { ProofError } from '../merkle/proofs.ts';
import type { Tree } from './tree.ts';
import { TREE_FILE } from './treeFile.ts';
import type { RemakeReason } from './treeFollower.ts';
import type { TreeThread } from './treeProtocol.ts';

export interface KeepTreeOptions {
  /** The folder of `tree.sqlite`, which may be deleted at any time. */
  readonly folder: string;
  /** The file of the SQLite event log. */
  readonly logPath: string;
  /** Milliseconds that the thread waits for more events before it grows the tree; default 1,000. */
  readonly gatherMs?: number;
  /** Called when the tree is made again from the log; `onCaughtUp` ends it. */
  readonly onRemake?: (reason: RemakeReason) => void;
  /** Called with an event whose predecessors are missing. */
  readonly onBreak?: (found: LogBreak) => void;
  /** Called when the tree has grown to the end of the log, with what failed if it could not. It is retried. */
  readonly onCaughtUp?: (size: number, failure: string | undefined) => void;
}

/** A tree whose thread does not follow the log before it is started; what is in its file can be read at once. */
export interface KeptTree extends Tree {
  start(): void;
}

/** Each growth is a transaction, and who needs it sooner asks with `reached`. */
const GATHER_MS = 1_000;

const WORKER = new URL('./treeWorker.ts', import.meta.url);

/** The tree of a log in a thread and a file of their own, at no cost for requests. */
export function keepTree({
  folder,
  logPath,
  gatherMs = GATHER_MS,
  onRemake,
  onBreak,
  onCaughtUp,
}: KeepTreeOptions): KeptTree {
  let size = 0;
  let announced = 0;
  let isFollowing = false;
  let isCatchingUp = false;
  let isClosed = false;
  let thread: Thread<TreeThread> | undefined;

  const open = (): Thread<TreeThread> =>
    startThread<TreeThread>(WORKER, {
      name: 'tree',
      // Most of its objects live as long as a growth.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
      options: () => ({ path: join(folder, TREE_FILE), logPath, gatherMs }),
      restart: 'with the next message',
      onEnd(error) {
        isCatchingUp = false;
        if (error) onCaughtUp?.(size, error.message);
      },
      reports: {
        remaking(reason) {
          size = 0;
          onRemake?.(reason);
          catchUp();
        },
        broken: (found) => onBreak?.(found),
        grown: setSize,
        caughtUp({ size: reached, failure }) {
          setSize(reached);
          isCatchingUp = false;
          onCaughtUp?.(reached, failure);
          if (failure === undefined && announced > reached) catchUp();
        },
      },
    });

  function running(): Thread<TreeThread> {
    thread ??= open();
    return thread;
  }

  function setSize(reached: number): void {
    size = reached;
  }

  function catchUp(): void {
    if (isCatchingUp || isClosed || !isFollowing) return;
    isCatchingUp = true;
    running().notify('logAdvanced');
  }

  const request: Thread<TreeThread>['request'] = (...message) =>
    isClosed
      ? Promise.reject(new Error('the tree is closed'))
      : running()
          .request(...message)
          .catch(rethrow);

  return {
    get size() {
      return size;
    },
    start() {
      isFollowing = true;
      catchUp();
    },
    notify(position) {
      announced = position;
      if (!isCatchingUp) catchUp();
    },
    async reached(position, timeoutMs) {
      if (size < position) setSize(await request('reached', { position, timeoutMs }));
      return size;
    },
    async root(at) {
      const { size: of, root } = await request('root', at);
      return { size: of, root: bufferOf(root) };
    },
    inclusionProof: async (index, of) => hashesIn(await request('inclusionProof', { index, size: of })),
    consistencyProof: async (from, to) => hashesIn(await request('consistencyProof', { from, to })),
    entry: async (index) => optionalBuffer(await request('entry', index)),
    archivedRequest: (requestId) => request('archivedRequest', requestId),
    tile: async (name) => optionalBuffer(await request('tile', name)),
    async close() {
      isClosed = true;
      await thread?.stop();
    },
  };
}

/** Errors lose their class between threads. */
function rethrow(error: Error): never {
  throw error.name === 'ProofError' ? new ProofError(error.message) : error;
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

const optionalBuffer = (bytes: Uint8Array | undefined): Buffer | undefined => bytes && bufferOf(bytes);

function hashesIn(bytes: Uint8Array): Buffer[] {
  const buffer = bufferOf(bytes);
  return Array.from({ length: buffer.length / HASH_BYTES }, (_, at) =>
    buffer.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}
