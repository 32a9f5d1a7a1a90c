import { type Db, MongoClient, ServerType } from 'mongodb';

/** Databases of a URL that names none. */
const DATABASE = 'svc';

export interface Connection {
  readonly db: Db;
  /** The servers, without name and password: what lines for the operator may show. */
  readonly hosts: string;
  /**
   * Connects, unless that has succeeded once. To be called before anything else is asked: a client whose first attempt
   * failed fails for ever after, until this is called again.
   */
  open(): Promise<void>;
  /** Whether a server that takes reads and writes answered the last heartbeat. One that is only slow does. */
  readonly isAlive: boolean;
  close(): Promise<void>;
}

/** Every second, and with so long to answer, so that a silence is known within three. */
const HEARTBEAT_MS = 1_000;
const HEARTBEAT_TIMEOUT_MS = 2_000;

/**
 * A client for the server or servers that the URL names; nothing is connected before `open`.
 * @throws Error for a URL that the driver cannot use; the message holds neither name nor password
 */
export function connect(url: string): Connection {
  const hosts = hostsOf(url);
  let client: MongoClient;
  try {
    client = new MongoClient(url, {
      appName: 'svc',
      // Rows that a checkpoint speaks of must outlive a change of the primary, and a reader must see what it waited for.
      writeConcern: { w: 'majority' },
      readPreference: 'primary',
      // Whoever asks is told soon that nobody answers; a server that falls silent is noticed by the heartbeat.
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
    db: client.db(named === 'test' && !hasDatabase(url) ? DATABASE : named),
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

/** The driver's messages may quote the URL. */
function redactUrl(message: string, url: string): string {
  const [, credentials] = /^[^:]+:\/\/([^@/]*)@/.exec(url) ?? [];
  return [url, ...(credentials?.split(':') ?? [])]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '***'), message);
}
