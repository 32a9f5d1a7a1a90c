import type { MessagePort } from 'node:worker_threads';
import type { Position } from '../../../domain/core/brands.ts';
import type { ConnectionSettings } from '../client/connectionString.ts';
import type { NativePosition } from '../client/nativePosition.ts';
import type { FollowTiming } from './followAll.ts';

export interface MirrorSettings {
  readonly path: string;
  readonly settings: ConnectionSettings;
  readonly timing?: Partial<FollowTiming> | undefined;
}

/** An event of a stream of the vault, which is kept in memory only. */
export interface VaultEntry {
  readonly stream: string;
  /** `STREAM_DELETED` at its end. */
  readonly type: string;
  readonly data: unknown;
}

/** What the thread takes. */
export interface MirrorThread {
  notifications: {
    /** Serves one mirror over a port of its own. */
    serve(port: MessagePort): void;
  };
}

/** What the thread takes over the port of a mirror. */
export interface MirrorEndpoint {
  requests: {
    /** Opens the file. Returns the position of its last event. */
    open(settings: MirrorSettings): Position;
    /** Follows the store until `stop`, then closes the file. Fails when the store cannot be followed any further. */
    follow(): void;
  };
  notifications: {
    stop(): void;
  };
}

/** What the owner of a mirror takes over its port. All that is reported is in the file by then. */
export interface MirrorOwner {
  notifications: {
    /** Everything in `$all` up to `seen` was handled; `head` is the position of the last of our events. */
    progress(reached: { readonly head: Position; readonly seen: NativePosition }): void;
    vaultEntries(entries: readonly VaultEntry[]): void;
    connected(): void;
    dropped(reason: string): void;
  };
}
