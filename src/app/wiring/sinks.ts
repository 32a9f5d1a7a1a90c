import { resolve } from 'node:path';
import type { Post } from '../../lib/outgoing/post.ts';
import { keepSinks, type Sinks } from '../../sinks/keepSinks.ts';
import type { SinkSettings } from '../../sinks/sink.ts';
import { type Config, InvalidConfig } from '../config/config.ts';
import type { Foundation } from './foundation.ts';

/** How long a model request or a change waits for a fail-closed sink. */
const MAX_WAIT_MS = 30_000;

/** Opens the sinks of the log, which get its events once they are started. @throws InvalidConfig */
export function openSinks(
  { config, folder, store, hot, faults, now, leaderTasks }: Foundation,
  { post }: { readonly post: Post },
): Sinks {
  const sinks = keepSinks({
    settings: sinkSettings(config),
    logPath: store.logPath,
    file: folder.file,
    post,
    authorization: config.SVC_SINK_URL_AUTHORIZATION,
    lead: (work) => leaderTasks.start('sinks', work),
    faults,
    now,
  });
  hot.onFolded(({ position }) => sinks.notify(position));
  return sinks;
}

/** @returns undefined while nothing has to wait, else whether the sinks take events again in time */
export const whenSinksTake =
  (sinks: Sinks): (() => Promise<boolean> | undefined) =>
  () =>
    sinks.whenTaking(MAX_WAIT_MS);

function sinkSettings(config: Config): SinkSettings[] {
  const { SVC_SINK_FILE: path, SVC_SINK_URL: url, SVC_SINK_START: start, SVC_SINK_FAIL_CLOSED: failClosed } = config;
  for (const kind of failClosed) {
    const setting = kind === 'file' ? 'SVC_SINK_FILE' : 'SVC_SINK_URL';
    if (config[setting] === undefined)
      throw new InvalidConfig(`${setting}: must be set, as SVC_SINK_FAIL_CLOSED has ${kind}.`);
  }
  if (config.SVC_EVENTSTORE_URL !== undefined && failClosed.includes('url')) {
    throw new InvalidConfig(
      'SVC_SINK_FAIL_CLOSED: must not have url with EventStoreDB, where one node posts for all and the others do not know whether it can. Use a file on each node.',
    );
  }
  const common = (kind: SinkSettings['kind']) => ({ start, isFailClosed: failClosed.includes(kind) });
  return [
    ...(path === undefined
      ? []
      : [
          {
            kind: 'file' as const,
            path: resolve(path),
            rotation: { maxBytes: config.SVC_SINK_FILE_MAX_MB * 1_000_000, kept: config.SVC_SINK_FILE_KEEP },
            format: config.SVC_SINK_FILE_FORMAT,
            ...common('file'),
          },
        ]),
    ...(url === undefined ? [] : [{ kind: 'url' as const, url, format: config.SVC_SINK_URL_FORMAT, ...common('url') }]),
  ];
}
