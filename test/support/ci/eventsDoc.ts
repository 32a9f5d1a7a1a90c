import { z } from 'zod';
import { instant } from '../../../src/domain/core/brands.ts';
import type { EventDefinition } from '../../../src/domain/core/event.ts';
import { eventTypes, type KnownEvent } from '../../../src/domain/eventTypes.ts';
import { code, table } from './markdown.ts';
import { fieldsOf, placeholdersOf } from './schemaFields.ts';

/** `docs/events.md`, from the registry of events. */
export const eventsDoc = (): string => `# Events

<!-- Generated from src/domain/eventTypes.ts by \`npm run docs\`. Do not edit. -->

Everything that the service knows is folded from these events. An event is never changed: when its shape changes, its
version goes up and an upcaster brings the stored data to the present shape. A node that meets a type or version which it does
not know stops.

| Stream | Holds |
|---|---|
| \`account-<account id>\` | \`Account...\` |
| \`accountTokens-<account id>\` | \`TokenRefresh...\`, \`TokensRefreshed\` |
| \`accountUsage-<account id>_<yyyymm>\` | \`AccountUsageObserved\` |
| \`apiKey-<key id>\` | \`ApiKey...\` |
| \`firewall-main\` | \`Ip...\` |
| \`modelCatalogue-main\` | \`Model...\` |
| \`pricing-main\` | \`PricesPublished\` |
| \`settings-main\` | \`SettingsChanged\` |
| \`requests-<node>.<boot>_<yyyymmdd>\` | \`Request...\`, \`RefusalsCounted\` |

Beside its data each event has a position (1, 2, 3, ... over the whole log), a stream and a revision in it, an id, a time, and
metadata: schema version, actor (who caused it), correlation id, causation id, node, the hash of the event before it in its
stream, and its own hash.

What stands in \`{...}\` below is filled in. A time is in milliseconds since 1970, UTC. A sealed text is encrypted under its
account's own data key; deleting the account destroys that key. Prompts, answers and API keys are in no event; of a key there is its SHA-256.

${table(['Type', 'Version', 'Sentence'], definitions.map(row))}

${definitions.map(section).join('\n\n')}
`;

type Definition = EventDefinition<string, never>;

/** By name: the registry's own order depends on who loads the modules. */
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

/** Data for the sentences that compute with it; in the others each field stands for itself. */
const samples: Partial<{ [Type in keyof DataOf]: Partial<DataOf[Type]> }> = {
  ApiKeyExpiryChanged: { from: null, to: instant(Date.UTC(2030, 0, 31, 12)) },
  ApiKeyModelsChanged: { from: null, to: ['{model}', '{model}'] },
  ApiKeyLimitsChanged: {
    from: [],
    to: [
      {
        id: 1,
        limitType: 'total_tokens',
        limitWindow: 'daily',
        maxValue: 1000,
        modelFilter: '{model}',
        createdAt: instant(0),
      },
    ],
  },
  ModelsListed: { from: [], to: [{ slug: '{model}', version: '' }] },
  SettingsChanged: { from: { apiKeyAuthEnabled: false }, to: { apiKeyAuthEnabled: true } },
  RefusalsCounted: { counts: { invalid_api_key: 7 } },
};

function sentenceOf(type: string): string {
  const { data, says } = eventTypes.get(type) as Definition;
  const sample = { ...placeholdersOf(data(z)), ...samples[type as KnownEvent['type']] };
  return says(sample as never);
}
