import { z } from 'zod';
import { type AccountId, instant } from '../../../src/domain/core/brands.ts';
import type { EventDefinition } from '../../../src/domain/core/event.ts';
import { eventTypes, type KnownEvent } from '../../../src/domain/eventTypes.ts';
import { REFRESH_STREAM_PREFIX } from '../../../src/state/fold/refreshStreams.ts';
import { code, table } from './markdown.ts';
import { fieldsOf, placeholdersOf } from './schemaFields.ts';
import { streamTable } from './streamTable.ts';

/** Renders `docs/events.md` from the registry of events. */
export const eventsDoc = (): string => `# Events

<!-- Generated from src/domain/eventTypes.ts by \`npm run docs\`. Do not edit. -->

All state of the service is folded from these events. A stored event never changes. When the shape of a type changes, its
version goes up and an upcaster converts older data to the current shape. A node that reads a type or version that it does not
know stops ([decision 0009](decisions/0009-unknown-event-types-stop-a-node.md)).

With EventStoreDB, results of token refreshes are in \`${REFRESH_STREAM_PREFIX}...\`; embedded, they are in \`accountTokens-...\`.

${table(['Stream', 'Events'], streamTable())}

In addition to its data, each event has a position (1, 2, 3, ... over the whole log), a stream and a revision in that stream,
an id, a time, and metadata: schema version, actor (who caused it), correlation id, causation id, node, the hash of the previous
event of its stream, and its own hash.

\`{...}\` in a sentence stands for a field. Times are milliseconds since 1970, UTC. A sealed text is encrypted with the data key of
its account; deleting the account destroys that key. No event contains a prompt, an output or an API key, only the SHA-256 of the key.

${table(['Type', 'Version', 'Sentence'], definitions.map(row))}

${definitions.map(section).join('\n\n')}
`;

type Definition = EventDefinition<string, never>;

/** Sorted by name: the registry's order depends on the order in which modules load. */
const definitions: readonly Definition[] = [...eventTypes.values()].toSorted((a, b) => (a.type < b.type ? -1 : 1));

const row = ({ type, version }: Definition) => [`[${type}](#${type.toLowerCase()})`, String(version), sentenceOf(type)];

function section({ type, version, data }: Definition): string {
  const rows = fieldsOf(data(z)).map(({ path, kind, isOptional }) => [
    code(path),
    isOptional ? `${kind}, optional` : kind,
  ]);
  return `## ${type}\n\nVersion ${version}.\n\n${table(['Field', 'Kind'], rows)}`;
}

type DataOf = { [Type in KnownEvent['type']]: Extract<KnownEvent, { type: Type }>['data'] };

/** The times of a cool-down for `AccountsCooled`. */
const [since, until] = [instant(0), instant(Date.UTC(2030, 0, 31, 12))];

const limit = {
  id: 1,
  limitType: 'total_tokens',
  limitWindow: 'daily',
  maxValue: 1000,
  modelFilter: '{model}',
  createdAt: instant(0),
  onExceeded: 'finish',
} as const;

/** Data for the sentences that compute with it. In the others each field is a placeholder with its name. */
const samples: Partial<{ [Type in keyof DataOf]: Partial<DataOf[Type]> }> = {
  AccountsCooled: {
    requests: [
      {
        requestId: '',
        cooled: [{ cause: '{cause}', failures: 1, accounts: [['{account id}' as AccountId, since, until]] }],
      },
    ],
  },
  ApiKeyCreated: { regions: undefined },
  ApiKeyExpiryChanged: { from: null, to: instant(Date.UTC(2030, 0, 31, 12)) },
  ApiKeyModelsChanged: { from: null, to: ['{model}', '{model}'] },
  ApiKeyLimitsChanged: { from: [], to: [limit] },
  ApiKeyRegionsChanged: { from: null, to: ['{region}', '{region}'] },
  OwnerLimitsChanged: { from: [], to: [limit] },
  TeamCreated: { rules: [limit] },
  TeamLimitsChanged: { from: [], to: [limit] },
  ClockJumped: { from: instant(Date.UTC(2030, 0, 31, 12)), to: instant(Date.UTC(2030, 0, 31, 10)) },
  ClockAccepted: { from: instant(Date.UTC(2030, 0, 31, 12)), to: instant(Date.UTC(2030, 0, 31, 10)) },
  AccountDeleted: { heldBy: [] },
  WebhookAdded: { rules: ['account_lost', 'pool_low'], format: 'json' },
  AlertRaised: { rule: 'account_lost' },
  AlertResolved: { rule: 'account_lost' },
  HoldPlaced: { from: null, until: instant(Date.UTC(2030, 0, 31, 12)) },
  NodeStarted: { previous: { boot: '', stoppedAt: null } },
  EvidenceMade: { filter: { subject: '{subject}' } },
  CallersForgotten: { months: ['{month}'], keys: ['{API key id}'] },
  RequestsExported: { format: 'csv', filter: { statuses: ['{status}'] }, matching: 12 },
  ModelsListed: { from: [], to: [{ slug: '{model}', version: '' }] },
  SettingsChanged: { from: { apiKeyAuthEnabled: false }, to: { apiKeyAuthEnabled: true } },
  RequestCompleted: { attempts: [] },
  RefusalsCounted: { counts: { invalid_api_key: 7 } },
};

function sentenceOf(type: string): string {
  const { data, describe: says } = eventTypes.get(type) as Definition;
  const sample = { ...placeholdersOf(data(z)), ...samples[type as KnownEvent['type']] };
  return says(sample as never);
}
