import { isIP } from 'node:net';
import { z } from 'zod';
import { parseConnectionString } from '../../eventLog/eventstore/client/connectionString.ts';
import { parseCheckpointKey } from '../../integrity/keys/checkpointKey.ts';
import { COSIGNATURE, parseVkey } from '../../integrity/notes/noteKeys.ts';
import { parseOutgoingProxy } from '../../provider/outgoingProxy/outgoingProxy.ts';
import { tracesToProvider } from '../../proxy/tracing/requestTrace.ts';
import { sinkFormats, sinkKinds } from '../../sinks/sink.ts';
import { checkIssuer, checkRoleRules, missingForOidc } from './oidcConfig.ts';
import { problemsOfTracing } from './tracingConfig.ts';
import { isOfKubernetes, unknownSettings } from './unknownSettings.ts';

const integer = (min: number, max: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);

const flag = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['true', 'false', '1', '0', 'yes', 'no'], 'must be true or false'))
  .transform((text) => text === 'true' || text === '1' || text === 'yes');

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((text) => text.replace(/\/+$/, ''));

/**
 * Only a shell replaces `~` and `$HOME`: from an env file or a unit they arrive as they are, and would name a folder in the
 * current one. They are refused instead of replaced, because svc cannot know whose home is meant: under sudo, in a container
 * or a unit, HOME is another one than that of the author of the line, or unset.
 */
const path = z
  .string()
  .min(1)
  .regex(
    /^[^~$]/,
    'must not begin with ~ or $, which only a shell replaces: write the whole path, or put ./ before it if that is its name',
  );

const cidr = z.string().refine((text) => {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const max = version === 4 ? 32 : 128;
  return version > 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max));
}, 'must be an address or a CIDR such as 10.0.0.0/8');

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** Describes what is wrong without quoting the text, which may contain a password. */
function checkConnectionString(text: string, { addIssue }: { addIssue: (message: string) => void }): void {
  try {
    parseConnectionString(text);
  } catch (error) {
    addIssue((error as Error).message);
  }
}

/** Describes what is wrong without quoting the text, which may contain a password. */
function checkProxyAddress(text: string, { addIssue }: { addIssue: (message: string) => void }): void {
  try {
    parseOutgoingProxy(text);
  } catch (error) {
    addIssue((error as Error).message);
  }
}

const proxyAddress = z.string().superRefine(checkProxyAddress);

/** Describes what is wrong without quoting the text, which is a secret. */
const checkpointKey = z.string().superRefine((text, { addIssue }) => {
  try {
    parseCheckpointKey(text, 'it');
  } catch (error) {
    addIssue((error as Error).message.replace(/^it /, ''));
  }
});

const witnessKey = z.string().refine((text) => {
  try {
    return parseVkey(text).type === COSIGNATURE;
  } catch {
    return false;
  }
}, 'must be the verifier key of a witness, name+id+key, of the type of cosignatures (https://c2sp.org/tlog-cosignature)');

const environment = z.object({
  /** Address to listen on. */
  SVC_HOST: z.string().min(1).default('127.0.0.1'),
  /** Port to listen on; 0 picks a free one. */
  SVC_PORT: integer(0, 65_535).default(2455),
  /** The address under which people open the dashboard; links in invitations begin with it. Never taken from a request. */
  SVC_PUBLIC_URL: httpUrl.optional(),
  /** Port to which browsers return after signing in at the provider; open only during a sign-in. 0 picks a free one. */
  SVC_OAUTH_CALLBACK_PORT: integer(0, 65_535).default(1455),
  /** The data folder; one process at a time uses it. */
  SVC_DATA_DIR: path.default('./data'),
  /** Name of this node in its streams; random and stored in the data folder when absent. */
  SVC_NODE_ID: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must have 1 to 63 of a-z, 0-9 and -')
    .optional(),
  /** Connection string of EventStoreDB; the event log is in the data folder when absent. */
  SVC_EVENTSTORE_URL: z.string().superRefine(checkConnectionString).optional(),
  /** Maximum events in the outbox while EventStoreDB is unreachable; beyond that new requests are refused. */
  SVC_OUTBOX_MAX_EVENTS: integer(1_000, 100_000_000).default(1_000_000),
  /** Master key of the vault: 32 bytes as base64 or hex. `master.key` in the data folder when absent. */
  SVC_ENCRYPTION_KEY: z.string().min(1).optional(),
  /** The master key that takes its place, while `svc rotate-master-key` wraps the keys of the vault again. */
  SVC_ENCRYPTION_KEY_NEW: z.string().min(1).optional(),
  /** Private key that signs checkpoints of the log: 32 bytes as base64 or hex, or PEM. `checkpoint.key` in the data folder when absent. */
  SVC_CHECKPOINT_KEY: checkpointKey.optional(),
  /** File with the private key, instead of the one in the data folder. */
  SVC_CHECKPOINT_KEY_FILE: path.optional(),
  /** The key before, for the one start that changes the key: it signs the change. */
  SVC_CHECKPOINT_KEY_BEFORE: checkpointKey.optional(),
  /** An alert begins when less than this percentage of the accounts can serve, without paused ones. */
  SVC_ALERT_POOL_PERCENT: integer(0, 100).default(25),
  /** An alert begins when this percentage of the requests of five minutes failed. */
  SVC_ALERT_ERROR_PERCENT: integer(1, 100).default(20),
  /** Folder that checkpoints are published to as files. */
  SVC_CHECKPOINT_DIR: path.optional(),
  /** URL that checkpoints are posted to. */
  SVC_CHECKPOINT_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  /** Submission prefix of a witness that cosigns checkpoints (https://c2sp.org/tlog-witness). */
  SVC_CHECKPOINT_WITNESS_URL: httpUrl.optional(),
  /** Verifier key of the witness. */
  SVC_CHECKPOINT_WITNESS_KEY: witnessKey.optional(),
  /** Whether checkpoints, sinks, traces and webhooks may be sent to link-local and metadata addresses. */
  SVC_ALLOW_LINK_LOCAL: flag.default(false),
  /** File that gets every event of the log as a line of JSON (docs/operation.md#sinks). */
  SVC_SINK_FILE: path.optional(),
  /** How events are written there: as CloudEvents 1.0, or mapped to OCSF 1.3. */
  SVC_SINK_FILE_FORMAT: z.enum(sinkFormats, 'must be cloudevents or ocsf').default('cloudevents'),
  /** Size from which on the file is full, and another one is begun. */
  SVC_SINK_FILE_MAX_MB: integer(1, 1_000_000).default(100),
  /** Number of full files that are kept. */
  SVC_SINK_FILE_KEEP: integer(0, 100_000).default(10),
  /** URL that every event of the log is posted to, in batches. */
  SVC_SINK_URL: httpUrl.optional(),
  /** How events are posted there. */
  SVC_SINK_URL_FORMAT: z.enum(sinkFormats, 'must be cloudevents or ocsf').default('cloudevents'),
  /** The header Authorization of these posts. */
  SVC_SINK_URL_AUTHORIZATION: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'must be the value of a header, for example "Bearer ..."')
    .optional(),
  /** Where a new sink begins: with the first event, with the next one, or after a position. */
  SVC_SINK_START: z
    .union([z.enum(['beginning', 'now']), integer(0, Number.MAX_SAFE_INTEGER)], 'must be beginning, now or a position')
    .default('beginning'),
  /** The sinks that model requests and changes wait for while they take no events: file, url or both. */
  SVC_SINK_FAIL_CLOSED: list.pipe(z.array(z.enum(sinkKinds, 'must be file, url or both'))).default([]),
  /** Connection string of MongoDB; the read models are in the data folder when absent. */
  SVC_MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/[^/?\s]+/, 'must be a MongoDB connection string such as mongodb://host:27017/svc')
    .optional(),
  /** Base URL of the provider. */
  SVC_UPSTREAM_BASE_URL: httpUrl.default('https://chatgpt.com/backend-api'),
  /** Base URL of the provider's sign-in and token endpoints. */
  SVC_AUTH_BASE_URL: httpUrl.default('https://auth.openai.com'),
  /** Proxy for all calls to the provider; overrides the next two. */
  SVC_PROXY_URL: proxyAddress.optional(),
  /** Proxy for calls to `https:` destinations. This and the next two also in lower case, which wins. */
  HTTPS_PROXY: proxyAddress.optional(),
  /** Proxy for calls to `http:` destinations. */
  HTTP_PROXY: proxyAddress.optional(),
  /** Destinations for which the two before do not hold. */
  NO_PROXY: z.string().optional(),
  /** Interval at which each account's usage is polled. */
  SVC_USAGE_REFRESH_SECONDS: integer(1, 86_400).default(60),
  /** Time without data from the provider, or without the client reading, after which a request ends. */
  SVC_STREAM_IDLE_TIMEOUT_SECONDS: integer(1, 86_400).default(300),
  /** Time that open streams get to finish after SIGTERM. */
  SVC_DRAIN_SECONDS: integer(0, 3_600).default(30),
  /** Token for setting the first password from another machine; random and printed at the start when absent. */
  SVC_SETUP_TOKEN: z
    .string()
    // The dashboard trims what is typed.
    .refine((text) => text.trim().length >= 16, 'must have at least 16 characters (openssl rand -base64 24)')
    .optional(),
  /** The OpenID provider at which operators sign in (docs/decisions/0088-oidc-sign-in.md). */
  SVC_OIDC_ISSUER: z.string().superRefine(checkIssuer).optional(),
  /** The client that is registered at the OpenID provider for svc. */
  SVC_OIDC_CLIENT_ID: z.string().max(1_024).optional(),
  /** The secret of that client. */
  SVC_OIDC_CLIENT_SECRET: z.string().max(4_096).optional(),
  /** What is asked of the OpenID provider; some send groups only for a scope of their own. */
  SVC_OIDC_SCOPES: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( +[\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes with spaces between them')
    .refine((text) => text.split(' ').includes('openid'), 'must contain openid')
    .default('openid email profile'),
  /** How the sign-in page names the OpenID provider; its host when absent. */
  SVC_OIDC_NAME: z.string().trim().min(1).max(64).optional(),
  /** Rules that give a role by a value of a claim: `value=role`, separated by semicolons. */
  SVC_OIDC_ROLES: z.string().superRefine(checkRoleRules).optional(),
  /** The claim with those values; with dots a path. */
  SVC_OIDC_ROLE_CLAIM: z.string().min(1).max(256).default('groups'),
  /** Whether operators may sign in without the OpenID provider. The built-in administrator always may. */
  SVC_LOCAL_SIGN_IN: flag.default(true),
  /** Whether other machines may send model requests while neither API keys are required nor an allowlist is set. */
  SVC_ALLOW_OPEN: flag.default(false),
  /** Newest Codex version among the clients: the provider lists no model that needs a newer one. */
  SVC_CLIENT_VERSION: z
    .string()
    .regex(/^\d{1,4}(\.\d{1,6}){2}$/, 'must be the version of a client such as 0.169.0')
    .default('0.169.0'),
  /** Whether to serve Codex's own paths and headers beside those of svc (docs/decisions/0049-alias-paths.md). */
  SVC_CODEX_ALIASES: flag.default(true),
  /** Whether svc's own HTTP code serves plain model requests (docs/decisions/0018-http-fast-path.md). */
  SVC_PLAIN_HTTP: flag.default(true),
  /** Whether clients may use websockets (docs/decisions/0107-websockets.md). */
  SVC_WEBSOCKET: z.enum(['on', 'off'], 'must be on or off').default('on'),
  /** Whether websockets accept and offer permessage-deflate. */
  SVC_WEBSOCKET_DEFLATE: flag.default(false),
  /** How the service writes its lines (docs/operation.md#lines). */
  SVC_LOG_FORMAT: z.enum(['text', 'json'], 'must be text or json').default('text'),
  /** Addresses and CIDRs, separated by commas, from which `/metrics` is read without a management token. */
  SVC_METRICS_ALLOW: list.pipe(z.array(cidr)).default([]),
  /** Base URL of an OTLP receiver, e.g. http://127.0.0.1:4318: its `/v1/traces` gets the traces of model requests. None when absent. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  /** The whole URL that gets traces. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional(),
  /** How spans are posted: http/protobuf or http/json. This and the next one also for traces alone. */
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.string().optional(),
  /** Headers of these posts: `name=value,name=value`. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional(),
  /** The service in the traces. */
  OTEL_SERVICE_NAME: z.string().optional(),
  /** Further attributes of the service: `name=value,name=value`. */
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  /** Which traces are recorded; by default those that the client records, and all that begin here. */
  OTEL_TRACES_SAMPLER: z.string().optional(),
  /** The part that a ratio takes. */
  OTEL_TRACES_SAMPLER_ARG: z.string().optional(),
  /** Longest time in milliseconds that an ended span waits for its batch. */
  OTEL_BSP_SCHEDULE_DELAY: z.string().optional(),
  /** `none` switches traces off. */
  OTEL_TRACES_EXPORTER: z.string().optional(),
  /** `true` switches traces off. */
  OTEL_SDK_DISABLED: z.string().optional(),
  /** What the provider gets of the trace context (docs/decisions/0101-traces.md). */
  SVC_TRACE_TO_PROVIDER: z.enum(tracesToProvider, 'must be none, traceparent or all').default('traceparent'),
  /** JSON file with prices that override or extend the built-in ones. */
  SVC_PRICES_FILE: path.optional(),
  /** Full UTC days of requests that stay in the log; older ones are archived. All stay when absent. */
  SVC_RETENTION_REQUEST_DAYS: integer(1, 36_500).optional(),
  /** The folder of archive files; `archives` in the data folder when absent. */
  SVC_ARCHIVE_DIR: path.optional(),
  /** Whether `X-Forwarded-For` of trusted proxies names the client (docs/decisions/0052-client-address.md). */
  FIREWALL_TRUST_PROXY_HEADERS: flag.default(false),
  /** The trusted proxies: addresses and CIDRs, separated by commas. */
  FIREWALL_TRUSTED_PROXY_CIDRS: list.pipe(z.array(cidr)).default([]),
  /** Which address of `X-Forwarded-For` is the client; it cannot forge `rightmost_untrusted`. */
  FIREWALL_XFF_MODE: z
    .enum(['first_valid', 'rightmost_untrusted'], 'must be first_valid or rightmost_untrusted')
    .default('first_valid'),
});

/** The environment variables that svc reads. */
export const settingNames = Object.keys(environment.shape);

/** The settings that are given, as text. */
export function givenSettings(env: Readonly<Record<string, string | undefined>> = process.env): Map<string, string> {
  const given = new Map<string, string>();
  for (const name of settingNames) {
    const value = env[name] ?? (/^(HTTPS?|NO)_PROXY$/.test(name) ? env[name.toLowerCase()] : undefined);
    if (value !== undefined && value !== '') given.set(name, value);
  }
  return given;
}

/** The configuration. Nothing else reads the environment. */
export type Config = Readonly<z.infer<typeof environment>>;

/** The environment has an invalid value or an unknown setting; `message` has one line per problem. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';
}

/** Reads and validates the environment. @throws InvalidConfig */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  // An empty variable, as compose files produce them, means "not set".
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== undefined && value !== '' && !isOfKubernetes(name, value)),
  );
  // Other programs read these in both spellings, and prefer the lower case.
  const inLowerCase = new Map<unknown, string>();
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']) {
    const lower = name.toLowerCase();
    if (given[lower] === undefined) continue;
    given[name] = given[lower];
    inLowerCase.set(name, lower);
  }
  const { error, data } = environment.safeParse(given, { jitless: true });
  const nameOf = (name: unknown) => inLowerCase.get(name) ?? name?.toString() ?? 'environment';
  const lines = [
    ...(error?.issues ?? []).map(({ path, message }) => `${nameOf(path[0])}: ${message}`),
    ...unknownSettings(Object.keys(given), settingNames),
    ...missingForOidc(given, data?.SVC_LOCAL_SIGN_IN ?? true),
    ...problemsOfTracing(given),
  ];
  if (!data || lines.length > 0) throw new InvalidConfig(lines.join('\n'));
  return Object.freeze(data);
}

/** The format of lines, also of those that say that other settings are invalid. */
export const readLogFormat = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config['SVC_LOG_FORMAT'] => (env.SVC_LOG_FORMAT === 'json' ? 'json' : 'text');
