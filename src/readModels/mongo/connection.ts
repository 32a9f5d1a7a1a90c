import { type Db, MongoClient } from 'mongodb';

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
  close(): Promise<void>;
}

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
      connectTimeoutMS: 2_000,
      heartbeatFrequencyMS: 2_000,
      socketTimeoutMS: 30_000,
      maxPoolSize: 20,
    });
  } catch (error) {
    throw new Error(`SVC_MONGODB_URL: ${withoutSecrets((error as Error).message, url)}`);
  }
  const named = client.options.dbName;
  return {
    db: client.db(named === 'test' && !hasDatabase(url) ? DATABASE : named),
    hosts,
    open: async () => void (await client.connect()),
    close: () => client.close(),
  };
}

const parts = (url: string) => /^(?:mongodb(?:\+srv)?:\/\/)(?:[^@/]*@)?([^/?]*)(?:\/([^?]*))?/.exec(url);
export const hostsOf = (url: string): string => parts(url)?.[1] ?? 'unknown host';
const hasDatabase = (url: string): boolean => (parts(url)?.[2] ?? '') !== '';

/** The driver's messages may quote the URL. */
function withoutSecrets(message: string, url: string): string {
  const [, credentials] = /^[^:]+:\/\/([^@/]*)@/.exec(url) ?? [];
  return [url, ...(credentials?.split(':') ?? [])]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '***'), message);
}
