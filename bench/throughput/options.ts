import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { JOBS, type JobName } from './besideJob.ts';

export type BodyKind = '20k' | '38k';

/** The endpoints whose requests can be measured: `/backend-api/svc/responses`, `/v1/responses`, `/v1/chat/completions`. */
export const SURFACES = ['responses', 'v1', 'chat'] as const;
export type SurfaceName = (typeof SURFACES)[number];

export interface Options {
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly bodies: readonly BodyKind[];
  /** Measured by turns in every round. */
  readonly surfaces: readonly [SurfaceName, ...SurfaceName[]];
  /** Requests per second at which the added latency is measured, besides half of what the product serves. */
  readonly rates: readonly number[];
  /** A job of the product: each round loads the first endpoint once without it and once while it runs. */
  readonly beside: JobName | undefined;
  readonly productOnly: boolean;
  /** Another version of svc, which takes the place of the bare pass-through. */
  readonly against: string | undefined;
  readonly profile: boolean;
  readonly keep: boolean;
  /** The product stores the log in EventStoreDB instead of the data folder. */
  readonly eventstore: boolean;
  /** The product stores the read models in MongoDB instead of the data folder. */
  readonly mongodb: boolean;
  /** The program to measure. With `src/start.mjs` of another checkout, two versions can be compared on one machine. */
  readonly entry: string;
}

export const USAGE = `bench:throughput: the product against a bare pass-through

  --seconds N        length of one measuring run (5)
  --warm-up N        seconds of load for each side before the first round (3)
  --rounds N         rounds; each measures bare, then product (5)
  --connections N    connections of the load generator (32)
  --body KIND        20k, 38k or both (both)
  --surface NAMES    of responses, v1 and chat, by commas: the endpoints to measure by turns (responses);
                     chat needs --body 20k
  --rates NUMBERS    requests per second, by commas, at which latency is measured besides half load (none)
  --beside JOB       verify or evidence: each round loads the first endpoint without and with this job running,
                     again each time that it has ended
  --against FILE     the src/start.mjs of another checkout, with its own node_modules, instead of the bare side
  --product-only     no bare side, no ratio: quicker while tuning
  --profile          one more round with a CPU profile of the product
  --entry FILE       the program to measure (src/start.mjs of this checkout)
  --eventstore       the product's log in EventStoreDB: SVC_TEST_EVENTSTORE_URL, else the fake one of the tests
  --mongodb          its read models in MongoDB: SVC_TEST_MONGODB_URL, else the server that the tests find or build
  --keep             keep the temporary folder (logs, data, profiles)
`;

/** @returns the options, or the text to print instead of running: the usage, or an error */
export function readOptions(args: readonly string[]): Options | string {
  try {
    return parse(args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function parse(args: readonly string[]): Options | string {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '5' },
      'warm-up': { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      body: { type: 'string', default: 'both' },
      surface: { type: 'string', default: 'responses' },
      rates: { type: 'string', default: '' },
      beside: { type: 'string' },
      against: { type: 'string' },
      'product-only': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      entry: { type: 'string', default: resolve(import.meta.dirname, '../../src/start.mjs') },
      eventstore: { type: 'boolean', default: false },
      mongodb: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return USAGE;
  if (values.against !== undefined && values['product-only']) throw new Error('--against contradicts --product-only');
  return {
    seconds: atLeastOne('seconds', values.seconds),
    warmUpSeconds: atLeastOne('warm-up', values['warm-up']),
    rounds: atLeastOne('rounds', values.rounds),
    connections: atLeastOne('connections', values.connections),
    bodies: bodyKinds(values.body),
    surfaces: surfaceNames(values.surface, values.body),
    rates: values.rates === '' ? [] : values.rates.split(',').map((rate) => atLeastOne('rates', rate)),
    beside: jobName(values.beside),
    productOnly: values['product-only'],
    against: values.against === undefined ? undefined : resolve(values.against),
    profile: values.profile,
    keep: values.keep,
    eventstore: values.eventstore,
    mongodb: values.mongodb,
    entry: resolve(values.entry),
  };
}

// wrk takes whole seconds only.
function atLeastOne(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1, not ${text}`);
  return value;
}

function bodyKinds(text: string): readonly BodyKind[] {
  if (text === 'both') return ['20k', '38k'];
  if (text === '20k' || text === '38k') return [text];
  throw new Error(`--body must be 20k, 38k or both, not ${text}`);
}

function jobName(text: string | undefined): JobName | undefined {
  if (text === undefined || Object.hasOwn(JOBS, text)) return text as JobName | undefined;
  throw new Error(`--beside must be one of ${Object.keys(JOBS).join(', ')}, not ${text}`);
}

function surfaceNames(text: string, body: string): Options['surfaces'] {
  const names = text.split(',').map((given) => {
    const name = SURFACES.find((surface) => surface === given);
    if (name === undefined) throw new Error(`--surface must be of ${SURFACES.join(', ')}, not ${given}`);
    return name;
  });
  if (names.includes('chat') && body !== '20k') throw new Error('--surface chat needs --body 20k');
  return names as [SurfaceName, ...SurfaceName[]];
}
