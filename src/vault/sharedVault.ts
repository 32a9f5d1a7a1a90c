import { createEnvelope, newInstallationKey, unwrapInstallationKey, type WrappedKey } from './envelope.ts';
import type { KeyStreams } from './keyStreams.ts';
import { parseMasterKey, refuseMissingKey, WrongEncryptionKey } from './masterKey.ts';
import type { Vault } from './vault.ts';

export interface SharedVaultOptions {
  readonly streams: KeyStreams;
  /** The value of SVC_ENCRYPTION_KEY. */
  readonly masterKey: string | undefined;
  readonly report: (error: unknown) => void;
}

const RETRY_MS = 5_000;

/**
 * The vault of several nodes: wrapped data keys stand in streams beside the log and in the memory of each node, nowhere
 * else. What is destroyed is unreadable on this node at once and on the others when they hear of it.
 * @throws WrongEncryptionKey | InvalidEncryptionKey with what to do about it
 */
export async function openSharedVault({ streams, masterKey, report }: SharedVaultOptions): Promise<Vault> {
  refuseMissingKey(masterKey);
  const master = parseMasterKey(masterKey, 'SVC_ENCRYPTION_KEY');
  const installation = unwrapInstallationKey(master, await streams.installation(() => newInstallationKey(master)));
  if (!installation) {
    throw new WrongEncryptionKey(
      'The vault in EventStoreDB was encrypted with another key. Restore the SVC_ENCRYPTION_KEY that it was made with.',
    );
  }
  const keys = new Map<string, WrappedKey>();
  const envelope = createEnvelope({ master, installation, find: (id) => keys.get(id) });
  const retries = new Set<NodeJS.Timeout>();

  function drop(id: string): void {
    keys.delete(id);
    envelope.forget([id]);
  }

  /** Whoever asked learns that it is not done; it is done all the same, as soon as that is possible. */
  async function destroyOne(key: WrappedKey): Promise<void> {
    try {
      await streams.destroy(key);
    } catch (error) {
      const retry = setTimeout(() => {
        retries.delete(retry);
        destroyOne(key).catch(() => {});
      }, RETRY_MS).unref();
      retries.add(retry);
      throw error;
    }
  }

  const there = await streams.follow({
    onWritten: (key) => keys.set(key.id, key),
    onDestroyed: drop,
  });
  for (const key of there) keys.set(key.id, key);
  const { seal, open, keyIdOf, digest } = envelope;
  return {
    seal,
    open,
    keyIdOf,
    digest,
    async createKey(subject) {
      const key = envelope.newKey(subject);
      try {
        await streams.write(key);
      } catch (error) {
        envelope.forget([key.id]);
        throw error;
      }
      keys.set(key.id, key);
      return key.id;
    },
    async destroy(subject) {
      const own = [...keys.values()].filter((key) => key.subject === subject);
      for (const { id } of own) drop(id);
      const results = await Promise.allSettled(own.map(destroyOne));
      const failed = results.find((result) => result.status === 'rejected');
      if (!failed) return;
      report(
        new Error(
          `the data keys of ${subject} are not destroyed in EventStoreDB yet. Retrying every ${RETRY_MS / 1_000} s.`,
        ),
      );
      throw failed.reason;
    },
    close() {
      for (const retry of retries) clearTimeout(retry);
      keys.clear();
      envelope.close();
    },
  };
}
