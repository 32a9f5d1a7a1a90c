import type { DatabaseSync } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import { Channel } from '../../../lib/threads/channel.ts';
import { toErrorData } from '../../../lib/threads/errors.ts';
import { serveThread } from '../../../lib/threads/serveThread.ts';
import { archivePathOf } from '../../archive/archiveFile.ts';
import { withArchive } from '../../archive/withArchive.ts';
import type { LeaseEntry } from '../../leaseStreams.ts';
import { isNodeLease, isVaultStream } from '../../sideStreams.ts';
import { type FileGuard, guardFile } from '../../sqlite/fileGuard.ts';
import { openClient } from '../client/client.ts';
import type { AllEvent } from '../client/readResponse.ts';
import { followAll } from './followAll.ts';
import { MirrorArchive } from './mirrorArchive.ts';
import { openMirrorFile } from './mirrorFile.ts';
import { MirrorHarmed } from './mirrorHarmed.ts';
import { MirrorMark } from './mirrorMark.ts';
import type { FollowRequest, MirrorEndpoint, MirrorOwner, MirrorSettings, MirrorThread } from './mirrorProtocol.ts';
import { MirrorWriter } from './mirrorWriter.ts';
import { readKeptMark } from './readKnownStore.ts';
import type { WriteFailure } from './reportNotWritten.ts';

/** How often the file is looked at while no event comes. */
const CHECK_MS = 1_000;

// Program of the thread that follows EventStoreDB and writes mirrors, so that decoding and writing delay no request.

await serveThread<MirrorThread>(() => ({ notifications: { serve: serveMirror } }));

function serveMirror(port: MessagePort): void {
  const channel = new Channel<MirrorOwner, MirrorEndpoint>(port);
  const stopping = new AbortController();
  let opened: OpenedMirror;
  channel.receive(
    {
      open(settings) {
        const database = openMirrorFile(settings.path, () => channel.notify('fileReplaced'));
        const { markPath } = settings;
        const onFailure = (failure: string | undefined) => channel.notify('markWritten', failure);
        const isArchived = (at: number) =>
          withArchive(archivePathOf(settings.path), (archived) => archived.covers(at, at)) ?? false;
        const mark = markPath === undefined ? undefined : new MirrorMark(database, markPath, onFailure, isArchived);
        const writer = new MirrorWriter(database, archivePathOf(settings.path));
        const guard = guardFile(database, settings.path);
        const archive = new MirrorArchive({
          database,
          path: settings.path,
          onFailure: (reason) => channel.notify('rowsRemoved', reason),
        });
        opened = { settings, database, writer, archive, mark, guard };
        return opened.writer.head;
      },
      follow: (request) => follow(opened, request, channel, stopping.signal),
    },
    { stop: () => stopping.abort() },
  );
}

interface OpenedMirror {
  readonly settings: MirrorSettings;
  readonly database: DatabaseSync;
  readonly writer: MirrorWriter;
  readonly archive: MirrorArchive;
  readonly mark: MirrorMark | undefined;
  readonly guard: FileGuard;
}

type OwnerChannel = Channel<MirrorOwner, MirrorEndpoint>;

async function follow(
  { settings: { settings, timing, path }, database, writer, archive, mark, guard }: OpenedMirror,
  { isRunning, served }: FollowRequest,
  channel: OwnerChannel,
  signal: AbortSignal,
): Promise<void> {
  let isNotWritten = false;
  const onNotWritten = (failure: WriteFailure | undefined) => {
    if (failure || isNotWritten) channel.notify('notWritten', failure);
    isNotWritten = failure !== undefined;
  };
  /** What is written to a harmed file may be lost, or damages it. */
  const requireFile = () => {
    const harm = guard.check();
    if (harm) throw new MirrorHarmed(path, harm);
  };
  let wasHarmed = false;
  const checking = setInterval(() => {
    const harm = guard.check();
    if (harm) onNotWritten(failureOf(new MirrorHarmed(path, harm)));
    else if (wasHarmed) onNotWritten(undefined);
    wasHarmed = harm !== undefined;
  }, CHECK_MS);
  try {
    await followAll({
      newClient: () => openClient(settings),
      known: () => writer.readKnownStore(),
      onInstallation: (id) => writer.keepInstallation(id),
      onReplaced: (error) => channel.notify('replaced', toErrorData(error)),
      isRunning,
      async synchronise(client, isFollowing) {
        const upTo = isFollowing ? Math.max(served, writer.head) : undefined;
        await archive.synchronise(client, writer.head, upTo);
        writer.setArchived(archive.placesBehind(writer.head));
      },
      kept: () => (archive.has(...lastPlace(database)) ? readKeptMark(database) : undefined),
      prepare: (event, client) => archive.prepare(event, client),
      onResumed: (seen) => channel.notify('progress', { head: writer.head, seen }),
      handle(batch) {
        requireFile();
        handle(batch, writer, channel);
        onNotWritten(undefined);
        mark?.onWritten();
        archive.removeRows(signal);
      },
      onConnected: () => channel.notify('connected'),
      onDropped: (reason) => channel.notify('dropped', reason),
      onNotWritten: (error) => onNotWritten(failureOf(error)),
      signal,
      ...(timing && { timing }),
    });
  } finally {
    clearInterval(checking);
    mark?.close();
    guard.close();
    database.close();
  }
}

const failureOf = (error: Error): WriteFailure => ({
  reason: error.message,
  // The primary result code of SQLite (sqlite.org/rescode.html).
  result: ((error as { errcode?: number }).errcode ?? 0) & 0xff,
  ...(error instanceof MirrorHarmed && { remedy: error.remedy }),
});

/** Of the last event. */
function lastPlace(database: DatabaseSync): [stream: string, revision: number] {
  const row = database.prepare('SELECT stream, revision FROM events ORDER BY position DESC LIMIT 1').get();
  return [(row?.stream ?? '') as string, (row?.revision ?? 0) as number];
}

function handle(batch: readonly AllEvent[], writer: MirrorWriter, channel: OwnerChannel): void {
  const last = batch.at(-1);
  if (!last) return;
  writer.apply(batch);
  // Keys first: events sealed with them come after them in the log.
  const entries = batch.filter(({ streamId }) => isVaultStream(streamId));
  if (entries.length > 0) {
    channel.notify(
      'vaultEntries',
      entries.map(({ streamId, type, data }) => ({ stream: streamId, type, data })),
    );
  }
  const leases = lastOfEachStream(batch.filter(({ streamId }) => isNodeLease(streamId)));
  if (leases.length > 0) channel.notify('nodeLeases', leases.map(toLeaseEntry));
  const [found] = writer.newBreaks;
  if (found) channel.notify('broken', found);
  if (writer.newRules.length > 0) channel.notify('streamRules', writer.newRules);
  channel.notify('progress', { head: writer.head, seen: last.position });
}

/** A node that was away for a day reads thousands of entries of each lease. */
function lastOfEachStream(events: readonly AllEvent[]): AllEvent[] {
  const last = new Map<string, AllEvent>();
  for (const event of events) {
    last.delete(event.streamId);
    last.set(event.streamId, event);
  }
  return [...last.values()];
}

const toLeaseEntry = ({ id, type, data }: AllEvent) => ({ ...(data as object), id, type }) as LeaseEntry;
