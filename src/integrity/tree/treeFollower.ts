import { existsSync } from 'node:fs';
import type { LogBreak } from '../../eventLog/continuity.ts';
import type { FileGuard } from '../../eventLog/sqlite/fileGuard.ts';
import { openTileStore, type SqliteTileStore } from '../tiles/sqliteTileStore.ts';
import { TreeReader, TreeWriter } from '../tiles/tileTree.ts';
import { findMisfit, type Misfit } from './findMisfit.ts';
import { LeafSource } from './leafSource.ts';
import { isTreeDamage, removeTreeFile } from './treeFile.ts';

/** Why a tree is made again from the log. */
export type RemakeReason = Misfit | 'deleted';

/** The log lacks events that the tree has. */
export class LogBehindTree extends Error {
  override readonly name = 'LogBehindTree';
}

export interface TreeFollowerOptions {
  /** The file of the tree, which may be deleted at any time. */
  readonly path: string;
  /** The log's file. */
  readonly logPath: string;
  readonly onRemake: (reason: RemakeReason) => void;
  /** Called with an event whose predecessors are missing: the tree ends before them. */
  readonly onBreak: (found: LogBreak) => void;
}

/** Leaves per growth: some 5 ms of work, so that reads are served in between, and little outlives V8's young generation. */
const LEAVES_PER_STEP = 512;

/** Grows the tree in a file from the log's file, and makes it again when it cannot be continued. */
export class TreeFollower {
  readonly #options: TreeFollowerOptions;
  readonly #log: LeafSource;
  #store: SqliteTileStore;
  #writer: TreeWriter;
  #guard: FileGuard;
  #broken: LogBreak | undefined;
  /** `lost`: it could not be made again. */
  #state: 'open' | 'lost' | 'closed' = 'open';

  /** @throws the error of SQLite when the files cannot be opened; for damage of the log it names that file */
  constructor(options: TreeFollowerOptions) {
    this.#options = options;
    this.#log = new LeafSource(options.logPath);
    ({ store: this.#store, writer: this.#writer, guard: this.#guard } = this.#open());
  }

  get size(): number {
    return this.#state === 'lost' ? 0 : this.#writer.size;
  }

  /**
   * Adds the next leaves.
   * @returns whether there may be more
   * @throws LogBehindTree | the error of SQLite
   */
  step(): boolean {
    return this.#withRepair(() => {
      const { entries, broken } = this.#log.after(this.size, LEAVES_PER_STEP);
      if (entries.length > 0) this.#writer.append(entries);
      if (broken && broken.position !== this.#broken?.position) this.#options.onBreak(broken);
      this.#broken = broken;
      if (entries.length === 0 && !broken) this.#requireLog();
      return entries.length === LEAVES_PER_STEP;
    });
  }

  /** Reads the tree. @throws ProofError | the error of SQLite */
  read<Result>(work: (tree: TreeReader) => Result): Result {
    return this.#withRepair(() => work(new TreeReader(this.#store)));
  }

  /**
   * Makes the tree again if its file, or its write-ahead log, was deleted, replaced or cut.
   * @throws the error of SQLite when it cannot be made; the next call tries again
   */
  checkFile(): void {
    this.#openLost();
    if (this.#state !== 'open') return;
    const harm = this.#guard.check();
    if (harm) this.#remake(harm === 'cut' ? 'damaged' : 'deleted');
  }

  close(): void {
    this.#closeFile('closed');
    this.#log.close();
  }

  #requireLog(): void {
    const end = this.#log.end();
    if (end >= this.size) return;
    throw new LogBehindTree(
      `${this.#options.logPath} ends at position ${end}, but ${this.#options.path} proves that it reached position ${this.size}. ` +
        'Stop svc and restore the log from a backup. To go on without the events, run "svc accept-loss"',
    );
  }

  #open(): OpenTree {
    const { path } = this.#options;
    const isNew = !existsSync(path);
    let store: SqliteTileStore | undefined;
    let reason: RemakeReason;
    try {
      store = openTileStore(path);
      const misfit = isNew ? undefined : findMisfit(new TreeReader(store), this.#log);
      if (!misfit) return { store, writer: new TreeWriter(store), guard: store.guard(path) };
      reason = misfit;
    } catch (error) {
      if (isNew || !isTreeDamage(error, path)) {
        store?.close();
        throw error;
      }
      reason = 'damaged';
    }
    store?.close();
    return this.#openFresh(reason);
  }

  #openFresh(reason: RemakeReason): OpenTree {
    this.#options.onRemake(reason);
    removeTreeFile(this.#options.path);
    return this.#open();
  }

  #remake(reason: RemakeReason): void {
    this.#closeFile('lost');
    this.#use(this.#openFresh(reason));
  }

  #openLost(): void {
    if (this.#state === 'lost') this.#use(this.#open());
  }

  #use({ store, writer, guard }: OpenTree): void {
    this.#store = store;
    this.#writer = writer;
    this.#guard = guard;
    this.#state = 'open';
  }

  #closeFile(state: 'lost' | 'closed'): void {
    if (this.#state === 'open') {
      this.#guard.close();
      this.#store.close();
    }
    this.#state = state;
  }

  #withRepair<Result>(work: () => Result): Result {
    this.#openLost();
    try {
      return work();
    } catch (error) {
      if (!isTreeDamage(error, this.#options.path)) throw error;
      this.#remake('damaged');
      return work();
    }
  }
}

interface OpenTree {
  readonly store: SqliteTileStore;
  readonly writer: TreeWriter;
  readonly guard: FileGuard;
}
