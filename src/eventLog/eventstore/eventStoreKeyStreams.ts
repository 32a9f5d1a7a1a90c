import { BACKWARDS, END, type JSONType, jsonEvent } from '@eventstore/db-client';
import { refuse } from '../../domain/core/refusal.ts';
import type { WrappedKey } from '../../vault/envelope.ts';
import type { KeyListener, KeyStreams } from '../../vault/keyStreams.ts';
import { newEventId } from '../eventId.ts';
import { NO_STREAM } from '../eventLog.ts';
import { VAULT_PREFIX } from '../sideStreams.ts';
import { appendOnce } from './appendOnce.ts';
import type { CatchUp } from './catchUp.ts';
import type { Connection } from './client/connection.ts';
import { appendFailure, isDeletedStream } from './client/failures.ts';
import { readStreamOnce } from './client/reads.ts';
import { INSTALLATION_STREAM } from './mirror/installationStream.ts';
import type { VaultEntry } from './mirror/mirrorProtocol.ts';
import { STREAM_DELETED } from './mirror/mirrorWriter.ts';

export interface KeyStreamsOptions {
  readonly connection: Connection;
  readonly catchUp: CatchUp;
  /** Names of the vault streams that the mirror has seen. */
  readonly streamNames: () => readonly string[];
  /** Registers a listener for new events of those streams. It is called before later events of the log are delivered. */
  readonly onEntries: (listener: (entries: readonly VaultEntry[]) => void) => void;
}

const INSTALLATION = INSTALLATION_STREAM;
const KEY_CREATED = 'DataKeyCreated';
const INSTALLATION_CREATED = 'InstallationKeyCreated';
const DEADLINE_MS = 5_000;
const GRACE_MS = 2_000;
const MAX_REPEATS = 3;
const CONCURRENT_READS = 32;

/** Creates the key streams of the vault in EventStoreDB (docs/decisions/0008-side-streams.md). */
export function createEventStoreKeyStreams({
  connection,
  catchUp,
  streamNames,
  onEntries,
}: KeyStreamsOptions): KeyStreams {
  /** Writes the only event of a stream. @returns false if the stream already exists @throws Refusal `log_unavailable` */
  async function create(stream: string, type: string, data: JSONType): Promise<boolean> {
    const events = [jsonEvent({ id: newEventId(), type, data })];
    for (let repeat = 0; ; repeat += 1) {
      const outcome = await appendOnce(connection, { stream, expected: NO_STREAM, events });
      if (outcome.kind === 'committed') return true;
      if (outcome.kind === 'conflict') return false;
      if (outcome.kind === 'rejected') return refuse('log_unavailable', { reason: outcome.reason });
      if (repeat === MAX_REPEATS) return refuse('log_unavailable', { reason: outcome.error.message });
    }
  }

  /** Writes the next event of a stream. @returns false if the stream was deleted, or does not exist @throws Refusal `log_unavailable` */
  async function replaceIn(stream: string, type: string, data: JSONType): Promise<boolean> {
    const events = [jsonEvent({ id: newEventId(), type, data })];
    let expected = 0;
    for (let repeat = 0; ; ) {
      const outcome = await appendOnce(connection, { stream, expected, events });
      if (outcome.kind === 'committed') return true;
      if (outcome.kind === 'conflict') {
        if (outcome.actualRevision < 0) return false;
        expected = outcome.actualRevision;
        continue;
      }
      if (outcome.kind === 'rejected') {
        if (outcome.scope === 'stream') return false;
        return refuse('log_unavailable', { reason: outcome.reason });
      }
      if (repeat === MAX_REPEATS) return refuse('log_unavailable', { reason: outcome.error.message });
      repeat += 1;
    }
  }

  async function readContent(stream: string): Promise<unknown> {
    try {
      const options = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
      const [event] = await connection.call(
        (client) => readStreamOnce(client, stream, options),
        DEADLINE_MS + GRACE_MS,
      );
      return event?.data;
    } catch (error) {
      if (isDeletedStream(error)) return undefined;
      throw error;
    }
  }

  async function readKeys(names: readonly string[]): Promise<WrappedKey[]> {
    const keys: WrappedKey[] = [];
    for (let at = 0; at < names.length; at += CONCURRENT_READS) {
      const contents = await Promise.all(names.slice(at, at + CONCURRENT_READS).map(readContent));
      keys.push(...contents.flatMap((data) => parseKey(data) ?? []));
    }
    return keys;
  }

  /** @param revision the only event, unless the key was wrapped again */
  async function destroyAt(key: Pick<WrappedKey, 'id' | 'subject'>, revision: number): Promise<void> {
    try {
      const options = { expectedRevision: BigInt(revision), deadline: DEADLINE_MS };
      await connection.write((client) => client.tombstoneStream(streamOf(key), options), DEADLINE_MS + GRACE_MS);
    } catch (error) {
      if (isDeletedStream(error)) return;
      const failure = appendFailure(error);
      if (failure.kind === 'conflict') {
        // Else the stream does not exist.
        if (failure.actualRevision > revision) await destroyAt(key, failure.actualRevision);
        return;
      }
      const reason = failure.kind === 'unknown' ? failure.error.message : failure.reason;
      refuse('log_unavailable', { reason });
    }
  }

  return {
    async follow(listener) {
      const buffered: VaultEntry[][] = [];
      let handle = (entries: readonly VaultEntry[]): void => void buffered.push([...entries]);
      onEntries((entries) => handle(entries));
      await catchUp();
      const keys = await readKeys(streamNames().filter((name) => name !== INSTALLATION));
      const known = new Map(keys.map((key) => [key.id, key]));
      // Events received during the reads may destroy keys that were read.
      const updateKnown = {
        onWritten: (key: WrappedKey) => known.set(key.id, key),
        onDestroyed: (id: string) => known.delete(id),
      };
      for (const entries of buffered) notify(entries, updateKnown);
      handle = (entries) => notify(entries, listener);
      return [...known.values()];
    },
    async write(key) {
      await create(streamOf(key), KEY_CREATED, { id: key.id, subject: key.subject, wrapped: toBase64(key.wrapped) });
    },
    replace: (key) =>
      replaceIn(streamOf(key), KEY_CREATED, { id: key.id, subject: key.subject, wrapped: toBase64(key.wrapped) }),
    async replaceInstallationKey(wrapped) {
      await replaceIn(INSTALLATION, INSTALLATION_CREATED, { wrapped: toBase64(wrapped) });
    },
    destroy: (key) => destroyAt(key, 0),
    async getOrCreateInstallationKey(ifAbsent) {
      const existing = parseWrapped(await readContent(INSTALLATION));
      if (existing) return existing;
      const wrapped = ifAbsent();
      if (await create(INSTALLATION, INSTALLATION_CREATED, { wrapped: toBase64(wrapped) })) return wrapped;
      return (
        parseWrapped(await readContent(INSTALLATION)) ??
        refuse('log_unavailable', { reason: `${INSTALLATION} is empty` })
      );
    },
  };
}

const streamOf = ({ subject, id }: Pick<WrappedKey, 'id' | 'subject'>): string => `${VAULT_PREFIX}${subject}_${id}`;
const toBase64 = (wrapped: Uint8Array): string => Buffer.from(wrapped).toString('base64');

function notify(entries: readonly VaultEntry[], listener: KeyListener): void {
  for (const { stream, type, data } of entries) {
    if (type === STREAM_DELETED) listener.onDestroyed(keyIdOf(stream));
    const key = type === KEY_CREATED ? parseKey(data) : undefined;
    if (key) listener.onWritten(key);
  }
}

/** Subjects may contain `_`, so the key id is found by its length. */
const ID_LENGTH = 16;
const keyIdOf = (stream: string): string => stream.slice(-ID_LENGTH);

function parseKey(data: unknown): WrappedKey | undefined {
  const { id, subject } = (data ?? {}) as Record<string, unknown>;
  const wrapped = parseWrapped(data);
  return typeof id === 'string' && typeof subject === 'string' && wrapped ? { id, subject, wrapped } : undefined;
}

function parseWrapped(data: unknown): Uint8Array | undefined {
  const { wrapped } = (data ?? {}) as Record<string, unknown>;
  return typeof wrapped === 'string' ? Buffer.from(wrapped, 'base64') : undefined;
}
