import type { WrappedKey } from './envelope.ts';

/** Receives changes of the data keys in a store that several nodes share. */
export interface KeyListener {
  onWritten(key: WrappedKey): unknown;
  onDestroyed(id: string): unknown;
}

/**
 * Port for data keys in streams beside a shared log. Each key has a stream of its own, `vault-<subject>_<id>`, because the
 * name of a tombstoned stream can never be used again, and an account can be imported again.
 */
export interface KeyStreams {
  /**
   * Returns all keys, and from then on notifies the listener of every change by any node. The listener gets a new key
   * before the log delivers events with values sealed under it. @throws when the store is unreachable
   */
  follow(listener: KeyListener): Promise<readonly WrappedKey[]>;
  /** Writes a new key, durable when it resolves. @throws Refusal `log_unavailable` */
  write(key: WrappedKey): Promise<void>;
  /** Destroys a key permanently. Idempotent. @throws Refusal `log_unavailable` */
  destroy(key: Pick<WrappedKey, 'id' | 'subject'>): Promise<void>;
  /** Stores a key that was wrapped again. @returns false when it was destroyed meanwhile @throws Refusal `log_unavailable` */
  replace(key: WrappedKey): Promise<boolean>;
  /** Stores the key of digests, wrapped again. @throws Refusal `log_unavailable` */
  replaceInstallationKey(wrapped: Uint8Array): Promise<void>;
  /** Returns the key of digests, and creates it with `ifAbsent` if there is none. @throws when the store is unreachable */
  getOrCreateInstallationKey(ifAbsent: () => Uint8Array): Promise<Uint8Array>;
}
