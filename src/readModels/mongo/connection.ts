import { type Db, MongoClient, ServerType } from 'mongodb';

/** The database when the URL names none. */
const DEFAULT_DATABASE = 'svc';

export interface Connection {
  readonly db: Db;
  /** The servers without credentials, for lines to the operator. */
  readonly hosts: string;
  /**
   * Connects, unless connected already. Must be called before each use: after a failed first attempt the client keeps failing
   * until this is called again.
   */
  open(): Promise<void>;
  /** Whether a writable server responded to the last heartbeat. A slow server does. */
  readonly isAlive: boolean;
  close(): Promise<void>;
}

/** With the time-out below, an unresponsive server is detected within 3 s. */
const HEARTBEAT_MS = 1_000;
const HEARTBEAT_TIMEOUT_MS = 2_000;

/**
 * A client of the servers that the URL names. Connects in `open`.
 * @throws Error for a URL that the driver rejects; the message contains no credentials
 */
export function connect(url: string): Connection {
  const hosts = hostsOf(url);
  let client: MongoClient;
  try {
    client = new MongoClient(url, {
      appName: 'svc',
      // Rows before a checkpoint must survive a change of the primary, and a reader must see the position it waited for.
      writeConcern: { w: 'majority' },
      readPreference: 'primary',
      // Fails soon when no server responds; the heartbeat detects a server that stops responding.
      serverSelectionTimeoutMS: 2_000,
      connectTimeoutMS: HEARTBEAT_TIMEOUT_MS,
      heartbeatFrequencyMS: HEARTBEAT_MS,
      socketTimeoutMS: 30_000,
      maxPoolSize: 20,
    });
  } catch (error) {
    throw new Error(`SVC_MONGODB_URL: ${redactUrl((error as Error).message, url)}`);
  }
  const named = client.options.dbName;
  let isAlive = false;
  client.on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
    isAlive = [...servers.values()].some(({ type }) => WRITABLE.has(type));
  });
  return {
    db: client.db(named === 'test' && !hasDatabase(url) ? DEFAULT_DATABASE : named),
    hosts,
    open: async () => void (await client.connect()),
    get isAlive() {
      return isAlive;
    },
    close: () => client.close(),
  };
}

const WRITABLE: ReadonlySet<ServerType> = new Set([
  ServerType.Standalone,
  ServerType.RSPrimary,
  ServerType.Mongos,
  ServerType.LoadBalancer,
]);

const parts = (url: string) => /^(?:mongodb(?:\+srv)?:\/\/)(?:[^@/]*@)?([^/?]*)(?:\/([^?]*))?/.exec(url);
const hostsOf = (url: string): string => parts(url)?.[1] ?? 'unknown host';
const hasDatabase = (url: string): boolean => (parts(url)?.[2] ?? '') !== '';

/** The driver's messages may contain the URL. */
function redactUrl(message: string, url: string): string {
  const [, credentials] = /^[^:]+:\/\/([^@/]*)@/.exec(url) ?? [];
  return [url, ...(credentials?.split(':') ?? [])]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '***'), message);
}
