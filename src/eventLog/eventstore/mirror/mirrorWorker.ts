import { type MessagePort, parentPort } from 'node:worker_threads';
import type { AllStreamRecordedEvent } from '@eventstore/db-client';
import { isVaultStream } from '../../sideStreams.ts';
import { openClient } from '../client/client.ts';
import { followAll } from './followAll.ts';
import { openMirrorFile } from './mirrorFile.ts';
import type { FromMirror, MirrorOrder } from './mirrorProtocol.ts';
import { MirrorWriter } from './mirrorWriter.ts';

// The thread that follows EventStoreDB and keeps mirrors: decoding and writing hold up no request. Each mirror has a
// port of its own, whose first message to us is its end.

parentPort?.on('message', (order: MirrorOrder) => void keep(order));

async function keep({ port, ...options }: MirrorOrder): Promise<void> {
  const stopping = new AbortController();
  port.on('message', () => stopping.abort());
  try {
    await follow(options, port, stopping.signal);
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string };
    say(port, { kind: 'failed', name, message, code });
  }
  port.close();
}

const say = (port: MessagePort, message: FromMirror): void => port.postMessage(message);

async function follow(options: Omit<MirrorOrder, 'port'>, port: MessagePort, signal: AbortSignal): Promise<void> {
  const { path, settings, timing } = options;
  const database = openMirrorFile(path);
  try {
    const writer = new MirrorWriter(database);
    say(port, { kind: 'started', head: writer.head });
    await followAll({
      newClient: () => openClient(settings),
      marks: () => writer.marks(),
      onResumed: (seen) => say(port, { kind: 'progress', head: writer.head, seen }),
      handle: (batch) => take(writer, batch, port),
      onConnected: () => say(port, { kind: 'connected' }),
      onDropped: (reason) => say(port, { kind: 'dropped', reason }),
      signal,
      ...(timing && { timing }),
    });
  } finally {
    database.close();
  }
}

function take(writer: MirrorWriter, batch: readonly AllStreamRecordedEvent[], port: MessagePort): void {
  const last = batch.at(-1);
  if (!last) return;
  writer.apply(batch);
  // Keys first: what is sealed under them comes behind them in the log.
  const entries = batch.filter(({ streamId }) => isVaultStream(streamId));
  if (entries.length > 0) {
    say(port, {
      kind: 'vault',
      entries: entries.map(({ streamId, type, data }) => ({ stream: streamId, type, data })),
    });
  }
  say(port, { kind: 'progress', head: writer.head, seen: last.position });
}
