import type { Position } from '../../../domain/core/brands.ts';
import type { Drained } from '../../outbox/drainer.ts';
import type { ConnectionSettings } from '../client/connectionString.ts';

/** What the thread is started with. */
export interface DrainOrder {
  /** The file of the outbox. */
  readonly path: string;
  readonly settings: ConnectionSettings;
  /** Everything up to there is in the store. */
  readonly after: Position;
}

/** To the thread: there is something new, or: stop, after at most so long. */
export type ToDrain = { readonly kind: 'news' } | { readonly kind: 'stop'; readonly patienceMs: number };

/** From the thread. */
export type FromDrain =
  | ({ readonly kind: 'drained' } & Drained)
  | { readonly kind: 'held'; readonly name: string; readonly message: string }
  | { readonly kind: 'released'; readonly message: string };
