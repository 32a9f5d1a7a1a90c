import type { Faults } from '../../../lib/faults.ts';
import { LEASE_PREFIX } from '../../sideStreams.ts';
import type { RulesOfStream, StreamRules } from './streamRules.ts';

const COPY = 'This node has all of them in its copy. Export the history from it (svc export) before a scavenge';
const RESET = 'Remove $maxCount, $maxAge and $tb from the metadata of the stream.';

/** What a kind of rule means: the cause begins with the stream's name. */
interface Kind {
  readonly code: string;
  readonly describe: (rules: StreamRules) => string | undefined;
  readonly remedy: string;
}

const KINDS: readonly Kind[] = [
  {
    code: 'stream_tombstoned',
    describe: ({ isTombstoned }) =>
      isTombstoned
        ? 'was deleted for good (tombstoned) in EventStoreDB: nothing more can be written to it, and a scavenge removes its events, which a new node then lacks.'
        : undefined,
    remedy: `${COPY}; import it into an empty EventStoreDB to get the stream back.`,
  },
  {
    code: 'stream_truncated',
    describe: ({ isSoftDeleted, truncateBefore }) => {
      if (isSoftDeleted)
        return 'was deleted in EventStoreDB ($tb): a scavenge removes its events, which a new node then lacks.';
      return truncateBefore === undefined
        ? undefined
        : `was truncated before revision ${truncateBefore} in EventStoreDB ($tb): a scavenge removes these events, which a new node then lacks.`;
    },
    remedy: `${RESET} ${COPY}.`,
  },
  {
    code: 'stream_expires',
    describe: ({ maxCount, maxAge }) => {
      if (maxCount === undefined && maxAge === undefined) return undefined;
      const rules = [
        ...(maxCount === undefined ? [] : [`$maxCount ${maxCount}`]),
        ...(maxAge === undefined ? [] : [`$maxAge ${maxAge} s`]),
      ];
      return `loses events in EventStoreDB by its metadata (${rules.join(', ')}): a scavenge removes them, and a new node then lacks them.`;
    },
    remedy: `${RESET} ${COPY}.`,
  },
];

/** A lease whose last entry cannot be read stays with its node, and nothing else shows that it is free. */
const KINDS_OF_LEASES: readonly Kind[] = [
  {
    code: 'stream_tombstoned',
    describe: ({ isTombstoned }) =>
      isTombstoned
        ? 'was deleted for good (tombstoned) in EventStoreDB: no node renews this lease, and no other node can take it over.'
        : undefined,
    remedy: 'Nothing brings the stream back. Export the history (svc export) and import it into an empty EventStoreDB.',
  },
  {
    code: 'stream_truncated',
    describe: ({ truncateBefore }) =>
      truncateBefore === undefined
        ? undefined
        : `hides all its entries in EventStoreDB by its metadata ($tb ${truncateBefore}): once its holder ends, no other node can take over this lease.`,
    remedy: 'Remove $tb from the metadata of the stream.',
  },
  {
    code: 'stream_expires',
    describe: ({ maxAge }) =>
      maxAge === undefined
        ? undefined
        : `loses its entries in EventStoreDB by its metadata ($maxAge ${maxAge} s): once the last one is gone, no other node can take over this lease.`,
    remedy: 'Remove $maxAge from the metadata of the stream.',
  },
];

/** Names streams whose events EventStoreDB hides or will remove. Called again when the rules of a stream change. */
export function reportStreamRules(faults: Pick<Faults, 'raise' | 'clear'>, streams: readonly RulesOfStream[]): void {
  for (const { stream, rules } of streams) {
    for (const { code, describe, remedy } of stream.startsWith(LEASE_PREFIX) ? KINDS_OF_LEASES : KINDS) {
      const description = describe(rules);
      if (description === undefined) faults.clear(code, stream);
      else faults.raise({ code, subject: stream, cause: `The stream ${stream} ${description}`, remedy });
    }
  }
}
