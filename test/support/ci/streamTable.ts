import { readFileSync } from 'node:fs';
import { ARCHIVE_STREAM } from '../../../src/domain/archive/events.ts';
import type { AccountId, ApiKeyId, TeamId } from '../../../src/domain/core/brands.ts';
import { LOSSES_STREAM } from '../../../src/domain/losses/events.ts';
import { REFRESH_STREAM_PREFIX } from '../../../src/state/fold/refreshStreams.ts';
import { subjects } from '../../../src/state/fold/subjects.ts';
import { code } from './markdown.ts';

type Subjects = typeof subjects;

/** A placeholder for each subject's id. A new subject without one is a compile error. */
const ids: { readonly [Name in keyof Subjects]: Parameters<Subjects[Name]['streamOf']>[0] } = {
  account: '<account id>' as AccountId,
  accountLink: '<link id>',
  accountTokens: '<account id>' as AccountId,
  accountUsage: { accountId: '<account id>' as AccountId, yyyymm: '<yyyymm>' },
  alert: 'main',
  apiKey: '<key id>' as ApiKeyId,
  clock: 'main',
  firewall: 'main',
  hold: 'main',
  managementToken: 'main',
  modelCatalogue: 'main',
  operator: 'main',
  owner: '<owner>',
  passkeyUse: '<operator id>',
  pricing: 'main',
  dashboardAuth: 'main',
  settings: 'main',
  team: '<team id>' as TeamId,
  totpUse: '<TOTP id>',
};

const subjectStreams = Object.entries(subjects).map(([name, { streamOf }]) =>
  // An owner is encoded, also the brackets of its placeholder.
  decodeURIComponent((streamOf as (id: unknown) => string)(ids[name as keyof Subjects])),
);
/**
 * `svc accept-loss`, `svc archive` and `svc import-from` write to them (src/app/commands/accept/acceptLoss.ts,
 * src/app/commands/archiveCommand.ts, src/app/importFrom/importFrom.ts).
 */
const commandStreams = [LOSSES_STREAM, ARCHIVE_STREAM, 'import-<import id>', 'importedRequests-<program>'];
/** Each node writes these, a new one per start and day (src/eventLog/eventSink.ts). */
const nodeStreams = ['requests-', 'sessions-', 'clocks-', 'audits-', 'nodes-', REFRESH_STREAM_PREFIX].map(
  (prefix) => `${prefix}<node>.<boot>_<yyyymmdd>`,
);

/** `account-<account id>` as a pattern that matches the name of such a stream. */
const patternOf = (stream: string) => new RegExp(`^${stream.replaceAll('.', '\\.').replaceAll(/<[^>]+>/g, '[^_]+')}$`);

/**
 * Rows of the table of streams: the name of a stream, and the types of its events. Names come from the subjects, types from
 * the history that has every kind of event.
 * @throws Error when that history has a stream that no subject and no node writes
 */
export function streamTable(): string[][] {
  const streams = [...new Set([...subjectStreams, ...commandStreams, ...nodeStreams])].sort();
  const patterns = streams.map((stream) => ({ stream, pattern: patternOf(stream), types: new Set<string>() }));
  const history = readFileSync(new URL('../../histories/everyKind.ndjson', import.meta.url), 'utf8');
  for (const line of history.trim().split('\n')) {
    const { stream, type } = JSON.parse(line) as { stream: string; type: string };
    // Ids of accounts and operators in the history contain underscores themselves.
    const name = stream.replaceAll(/(account|op)_/g, '$1');
    const entry = patterns.find(({ pattern }) => pattern.test(name));
    if (!entry) throw new Error(`No subject and no node writes the stream "${stream}"`);
    entry.types.add(type);
  }
  return patterns.map(({ stream, types }) => [
    code(stream),
    [...types]
      .sort()
      .map((type) => `[${type}](#${type.toLowerCase()})`)
      .join(', '),
  ]);
}
