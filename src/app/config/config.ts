import { isIP } from 'node:net';
import { z } from 'zod';
import { parseConnectionString } from '../../eventLog/eventstore/client/connectionString.ts';

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

/** Says what is wrong with it without showing it: it may hold a password. */
function connectable(text: string, { addIssue }: { addIssue: (message: string) => void }): void {
  try {
    parseConnectionString(text);
  } catch (error) {
    addIssue((error as Error).message);
  }
}

const environment = z.object({
  SVC_HOST: z.string().min(1).default('127.0.0.1'),
  SVC_PORT: integer(0, 65_535).default(2455),
  SVC_OAUTH_CALLBACK_PORT: integer(0, 65_535).default(1455),
  SVC_DATA_DIR: z.string().min(1).default('./data'),
  SVC_NODE_ID: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must have 1 to 63 of a-z, 0-9 and -')
    .optional(),
  SVC_EVENTSTORE_URL: z.string().superRefine(connectable).optional(),
  SVC_OUTBOX_MAX_EVENTS: integer(1_000, 100_000_000).default(1_000_000),
  SVC_ENCRYPTION_KEY: z.string().min(1).optional(),
  SVC_MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/[^/?\s]+/, 'must be a MongoDB connection string such as mongodb://host:27017/svc')
    .optional(),
  SVC_UPSTREAM_BASE_URL: httpUrl.default('https://chatgpt.com/backend-api'),
  SVC_AUTH_BASE_URL: httpUrl.default('https://auth.openai.com'),
  SVC_USAGE_REFRESH_SECONDS: integer(1, 86_400).default(60),
  SVC_STREAM_IDLE_TIMEOUT_SECONDS: integer(1, 86_400).default(300),
  SVC_DRAIN_SECONDS: integer(0, 3_600).default(30),
  SVC_SETUP_TOKEN: z.string().min(1).optional(),
  SVC_CLIENT_VERSION: z
    .string()
    .regex(/^\d{1,4}(\.\d{1,6}){2}$/, 'must be the version of a client such as 0.169.0')
    .default('0.169.0'),
  SVC_CODEX_ALIASES: flag.default(true),
  SVC_PLAIN_HTTP: flag.default(true),
  SVC_PRICES_FILE: z.string().min(1).optional(),
  FIREWALL_TRUST_PROXY_HEADERS: flag.default(false),
  FIREWALL_TRUSTED_PROXY_CIDRS: list.pipe(z.array(cidr)).default([]),
  FIREWALL_XFF_MODE: z
    .enum(['first_valid', 'rightmost_untrusted'], 'must be first_valid or rightmost_untrusted')
    .default('first_valid'),
});

/** The whole configuration; nothing else reads the environment. */
export type Config = Readonly<z.infer<typeof environment>>;

/** The environment holds a wrong value; `message` has one line per mistake. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';
}

/** @throws InvalidConfig */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  // An empty variable, as compose files produce them, means "not set".
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const result = environment.safeParse(given);
  if (result.success) return Object.freeze(result.data);
  const lines = result.error.issues.map(({ path, message }) => `${path[0]?.toString() ?? 'environment'}: ${message}`);
  throw new InvalidConfig(lines.join('\n'));
}
