import type { MessagePort } from 'node:worker_threads';
import type { Position } from '../../../domain/core/brands.ts';
import type { ErrorData } from '../../../lib/threads/errors.ts';
import type { LogBreak } from '../../continuity.ts';
import type { LeaseEntry } from '../../leaseStreams.ts';
import type { ConnectionSettings } from '../client/connectionString.ts';
import type { NativePosition } from '../client/nativePosition.ts';
import type { FollowTiming } from './followAll.ts';
import type { WriteFailure } from './reportNotWritten.ts';
import type { RulesOfStream } from './streamRules.ts';

export interface MirrorSettings {
  readonly path: string;
  readonly settings: ConnectionSettings;
  readonly timing?: Partial<FollowTiming> | undefined;
  /** The file that says how far this node has read the history; no mark is kept without it. */
  readonly markPath?: string | undefined;
}

export interface FollowRequest {
  /** Whether this node is running already. It then waits for the right store instead of failing. */
  readonly isRunning: boolean;
  /** The position up to which the process has had events. */
  readonly served: number;
}

/** An event of a vault stream. It is kept in memory only. */
export interface VaultEntry {
  readonly stream: string;
  /** `STREAM_DELETED` when the stream was tombstoned. */
  readonly type: string;
  readonly data: unknown;
}

/** Messages to the mirror thread. */
export interface MirrorThread {
  notifications: {
    /** Serves one mirror over a port of its own. */
    serve(port: MessagePort): void;
  };
}

/** Messages to the thread over the port of a mirror. */
export interface MirrorEndpoint {
  requests: {
    /** Opens the file. Returns the position of its last event. */
    open(settings: MirrorSettings): Position;
    /** Follows the store until `stop`, then closes the file. Fails when the store cannot be followed any further. */
    follow(options: FollowRequest): void;
  };
  notifications: {
    stop(): void;
  };
}

/** Messages to the owner of a mirror over its port. Everything reported is already in the file. */
export interface MirrorOwner {
  notifications: {
    /** All events of `$all` up to `seen` were handled; `head` is the position of the last event of the history. */
    progress(reached: { readonly head: Position; readonly seen: NativePosition }): void;
    /** The file was damaged, or of another version: it is copied again from its beginning. */
    fileReplaced(): void;
    vaultEntries(entries: readonly VaultEntry[]): void;
    /** The last of the new entries of each lease `node-<name>`. */
    nodeLeases(entries: readonly LeaseEntry[]): void;
    /** The first event of a batch that does not continue the log before it. */
    broken(found: LogBreak): void;
    /** Rules of streams that were set or removed. */
    streamRules(rules: readonly RulesOfStream[]): void;
    /** The mark cannot be written, for this reason; undefined: it was written again after a failure. */
    markWritten(failure: string | undefined): void;
    /** Rows of archived days stay, for this reason; undefined: they are removed. */
    rowsRemoved(failure: string | undefined): void;
    /** SQLite refuses what was read, and the thread tries again; undefined: it was written. */
    notWritten(failure: WriteFailure | undefined): void;
    connected(): void;
    dropped(reason: string): void;
    /** The server responds, but its data are not those that were read before. */
    replaced(error: ErrorData): void;
  };
}
