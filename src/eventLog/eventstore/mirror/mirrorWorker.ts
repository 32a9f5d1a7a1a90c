import type { DatabaseSync } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import type { AllStreamRecordedEvent } from '@eventstore/db-client';
import { Channel } from '../../../lib/threads/channel.ts';
import { toErrorData } from '../../../lib/threads/errors.ts';
import { serveThread } from '../../../lib/threads/serveThread.ts';
import type { LeaseEntry } from '../../leaseStreams.ts';
import { isNodeLease, isVaultStream } from '../../sideStreams.ts';
import { openClient } from '../client/client.ts';
import { followAll } from './followAll.ts';
import { openMirrorFile } from './mirrorFile.ts';
import { MirrorMark } from './mirrorMark.ts';
import type { FollowRequest, MirrorEndpoint, MirrorOwner, MirrorSettings, MirrorThread } from './mirrorProtocol.ts';
import { MirrorWriter } from './mirrorWriter.ts';

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
        const mark = markPath === undefined ? undefined : new MirrorMark(database, markPath, onFailure);
        opened = { settings, database, writer: new MirrorWriter(database), mark };
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
  readonly mark: MirrorMark | undefined;
}

type OwnerChannel = Channel<MirrorOwner, MirrorEndpoint>;

async function follow(
  { settings: { settings, timing }, database, writer, mark }: OpenedMirror,
  { isRunning }: FollowRequest,
  channel: OwnerChannel,
  signal: AbortSignal,
): Promise<void> {
  try {
    await followAll({
      newClient: () => openClient(settings),
      known: () => writer.readKnownStore(),
      onInstallation: (id) => writer.keepInstallation(id),
      onReplaced: (error) => channel.notify('replaced', toErrorData(error)),
      isRunning,
      onResumed: (seen) => channel.notify('progress', { head: writer.head, seen }),
      handle(batch) {
        handle(batch, writer, channel);
        mark?.onWritten();
      },
      onConnected: () => channel.notify('connected'),
      onDropped: (reason) => channel.notify('dropped', reason),
      signal,
      ...(timing && { timing }),
    });
  } finally {
    mark?.close();
    database.close();
  }
}

function handle(batch: readonly AllStreamRecordedEvent[], writer: MirrorWriter, channel: OwnerChannel): void {
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
function lastOfEachStream(events: readonly AllStreamRecordedEvent[]): AllStreamRecordedEvent[] {
  const last = new Map<string, AllStreamRecordedEvent>();
  for (const event of events) {
    last.delete(event.streamId);
    last.set(event.streamId, event);
  }
  return [...last.values()];
}

const toLeaseEntry = ({ id, type, data }: AllStreamRecordedEvent) => ({ ...(data as object), id, type }) as LeaseEntry;
