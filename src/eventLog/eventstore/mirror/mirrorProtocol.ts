import type { MessagePort } from 'node:worker_threads';
import type { Position } from '../../../domain/core/brands.ts';
import type { ConnectionSettings } from '../client/connectionString.ts';
import type { NativePosition } from '../client/nativePosition.ts';
import type { FollowTiming } from './followAll.ts';

/** What a mirror is started with. */
export interface MirrorSettings {
  readonly path: string;
  readonly settings: ConnectionSettings;
  readonly timing?: Partial<FollowTiming> | undefined;
}

/** To the thread: keep a mirror, and tell this port of it. Whatever comes through the port ends it. */
export interface MirrorOrder extends MirrorSettings {
  readonly port: MessagePort;
}

/** An event of a stream of the vault, which is kept nowhere but in memory. */
export interface VaultEntry {
  readonly stream: string;
  /** `STREAM_DELETED` for its end. */
  readonly type: string;
  readonly data: unknown;
}

/** From the thread. What it says it has is in the file by then. */
export type FromMirror =
  | { readonly kind: 'started'; readonly head: Position }
  /** Everything in `$all` up to here was handled; `head` is the position of the last of our events. */
  | { readonly kind: 'progress'; readonly head: Position; readonly seen: NativePosition }
  | { readonly kind: 'vault'; readonly entries: readonly VaultEntry[] }
  | { readonly kind: 'connected' }
  | { readonly kind: 'dropped'; readonly reason: string }
  /** It cannot go on. */
  | { readonly kind: 'failed'; readonly name: string; readonly code: string | undefined; readonly message: string };
