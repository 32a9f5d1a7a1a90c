/** The contents of a connection string, as the client's own parser would read them. */
export interface ConnectionSettings {
  /** One host is a single node. With several hosts, or with `isDnsName`, the client discovers the members of a cluster. */
  readonly hosts: readonly Host[];
  /** `esdb+discover` or `kurrentdb+discover`: the host is a DNS name for all nodes of a cluster. */
  readonly isDnsName: boolean;
  readonly tls: boolean;
  readonly caFile?: string;
  readonly userCertificate?: { readonly certFile: string; readonly keyFile: string };
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Passed to the client unchanged. */
  readonly options: Readonly<ClientSettings>;
}

export interface Host {
  readonly address: string;
  readonly port: number;
}

interface ClientSettings {
  connectionName?: string;
  nodePreference?: 'leader' | 'follower' | 'random' | 'read_only_replica';
  maxDiscoverAttempts?: number;
  discoveryInterval?: number;
  gossipTimeout?: number;
  keepAliveInterval?: number;
  keepAliveTimeout?: number;
  defaultDeadline?: number;
}

/** The connection string is invalid. The message contains nothing of it that could be secret. */
export class InvalidConnectionString extends Error {
  override readonly name = 'InvalidConnectionString';
  readonly code = 'INVALID_CONNECTION_STRING';
}

const DEFAULT_PORT = 2113;
const FORM =
  /^(?:esdb|kurrentdb)(?<discover>\+discover)?:\/\/(?:(?<user>[^@/?]*)@)?(?<hosts>[^@/?]*)\/?(?:\?(?<options>.*))?$/;
const HOST = /^(?<address>[\w.-]+|\[[\da-f:.]+\])(?::(?<port>\d{1,5}))?$/i;
const NODE_PREFERENCES = ['leader', 'follower', 'random', 'read_only_replica'] as const;

/**
 * Parses a connection string (docs/stores.md#eventstoredb-connection-strings). It is not passed to the client, which would
 * print it with its password if it contained an unknown option.
 * @throws InvalidConnectionString
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const {
    discover,
    user,
    hosts = '',
    options,
  } = FORM.exec(text.trim())?.groups ??
  fail(
    'must look like esdb://user:password@host:2113 or esdb+discover://user:password@name:2113 (or kurrentdb for esdb), ' +
      'with @ / ? : , & in user and password written as %40 %2F %3F %3A %2C %26',
  );
  const parsed = hosts.split(',').map(parseHost);
  if (discover && parsed.length > 1) fail('esdb+discover:// accepts one name; for several nodes use esdb://');
  const { tls = 'true', ...otherOptions } = parseOptions(options ?? '');
  const isSecure = parseFlag('tls', tls);
  const files = parseFileOptions(otherOptions, isSecure);
  return {
    hosts: parsed,
    isDnsName: discover !== undefined,
    tls: isSecure,
    ...files,
    ...(user !== undefined && { credentials: parseCredentials(user) }),
    options: parseClientSettings(otherOptions),
  };
}

/** Returns `host:port,...` without secrets, for messages. */
export const describeHosts = ({ hosts }: ConnectionSettings): string =>
  hosts.map(({ address, port }) => `${address}:${port}`).join(',');

function parseHost(text: string): Host {
  const { address = '', port = DEFAULT_PORT } = HOST.exec(text)?.groups ?? fail('a host must look like name:2113');
  if (Number(port) < 1 || Number(port) > 65_535) fail(`${port} is not a port`);
  return { address, port: Number(port) };
}

function parseCredentials(text: string): { username: string; password: string } {
  const [username = '', password, ...rest] = text.split(':');
  if (username === '' || password === undefined || rest.length > 0) {
    fail('user:password is expected before the @; write : in either of them as %3A');
  }
  return { username: decode('the user', username), password: decode('the password', password ?? '') };
}

type OptionName = keyof ClientSettings | 'tls' | 'tlsCAFile' | 'userCertFile' | 'userKeyFile';

const OPTION_NAMES: readonly OptionName[] = [
  'tls',
  'tlsCAFile',
  'userCertFile',
  'userKeyFile',
  'connectionName',
  'nodePreference',
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
  'defaultDeadline',
];

const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');
const optionsByName = new Map(OPTION_NAMES.map((name) => [normalizeName(name), name]));

/** Ignores case, `_` and `-` in option names, as the client does. */
function parseOptions(text: string): Partial<Record<OptionName, string>> {
  const options: Partial<Record<OptionName, string>> = {};
  for (const pair of text === '' ? [] : text.split('&')) {
    const [key = '', value = '', ...rest] = pair.split('=');
    const name = optionsByName.get(normalizeName(key));
    if (!name) refuseOption(key);
    else if (value === '' || rest.length > 0) fail(`${name} must be written ${name}=value`);
    else if (options[name] !== undefined) fail(`${name} is given twice`);
    else options[name] = decode(name, value);
  }
  return options;
}

function refuseOption(key: string): never {
  if (normalizeName(key) === 'tlsverifycert') {
    fail('tlsVerifyCert has no effect in this client; name the authority that signed the certificate in tlsCAFile');
  }
  if (normalizeName(key) === 'throwonappendfailure') fail('throwOnAppendFailure cannot be changed');
  // The option is not shown: it may be part of a password with an unescaped ?.
  return fail(`an option is unknown; the options are ${OPTION_NAMES.join(', ')}`);
}

function parseFileOptions({ tlsCAFile, userCertFile, userKeyFile }: Partial<Record<OptionName, string>>, tls: boolean) {
  if (!tls && (tlsCAFile ?? userCertFile ?? userKeyFile) !== undefined) fail('certificates need tls=true');
  if ((userCertFile === undefined) !== (userKeyFile === undefined)) fail('userCertFile and userKeyFile go together');
  return {
    ...(tlsCAFile !== undefined && { caFile: tlsCAFile }),
    ...(userCertFile !== undefined &&
      userKeyFile !== undefined && { userCertificate: { certFile: userCertFile, keyFile: userKeyFile } }),
  };
}

function parseClientSettings(given: Partial<Record<OptionName, string>>): ClientSettings {
  const { connectionName, nodePreference } = given;
  const settings: ClientSettings = {};
  if (connectionName !== undefined) settings.connectionName = connectionName;
  if (nodePreference !== undefined) {
    const known = NODE_PREFERENCES.find((name) => normalizeName(name) === normalizeName(nodePreference));
    settings.nodePreference = known ?? fail(`nodePreference must be one of ${NODE_PREFERENCES.join(', ')}`);
  }
  for (const name of ['maxDiscoverAttempts', 'discoveryInterval', 'gossipTimeout', 'defaultDeadline'] as const) {
    if (given[name] !== undefined) settings[name] = parseInteger(name, given[name], 1);
  }
  for (const name of ['keepAliveInterval', 'keepAliveTimeout'] as const) {
    if (given[name] !== undefined) settings[name] = parseInteger(name, given[name], -1);
  }
  return settings;
}

function parseInteger(name: string, text: string, minimum: number): number {
  const value = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= minimum ? value : fail(`${name} must be a whole number of at least ${minimum}`);
}

const parseFlag = (name: string, text: string): boolean =>
  text === 'true' || (text === 'false' ? false : fail(`${name} must be true or false`));

function decode(label: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail(`${label} contains a % that is not followed by two hex digits; write it as %25`);
  }
}

function fail(reason: string): never {
  throw new InvalidConnectionString(reason);
}
