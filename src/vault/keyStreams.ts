import type { WrappedKey } from './envelope.ts';

/** What happens to data keys in a store that several nodes share. */
export interface KeyListener {
  onWritten(key: WrappedKey): unknown;
  onDestroyed(id: string): unknown;
}

/**
 * Data keys beside a shared log. Each has a stream of its own, `vault-<subject>_<id>`: destroying it is for ever, its
 * name can never be used again, and an account may be imported anew.
 */
export interface KeyStreams {
  /**
   * All keys that are there; from then on the listener is told of every change, whoever made it, before the log brings
   * what is sealed under a new key. @throws when the store cannot be asked
   */
  follow(listener: KeyListener): Promise<readonly WrappedKey[]>;
  /** Durable when it resolves. @throws Refusal `log_unavailable` */
  write(key: WrappedKey): Promise<void>;
  /** For ever, and twice does no harm. @throws Refusal `log_unavailable` */
  destroy(key: Pick<WrappedKey, 'id' | 'subject'>): Promise<void>;
  /** The key of digests: this one, or the one that another node was faster with. @throws when the store cannot be asked */
  installation(ifAbsent: () => Uint8Array): Promise<Uint8Array>;
}
