import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { apiOf } from '../durability/support/api.ts';
import { type Running, type Served, serve } from '../durability/support/serve.ts';
import { serveInside } from '../durability/support/serveInside.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { type FakeEventStore, startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { validRequest } from '../support/gateway.ts';
import { startProvider } from '../support/provider/provider.ts';

export interface ClusterOptions {
  /** Where the read models are kept; in the folders of the nodes without it. */
  readonly mongoUrl?: string | undefined;
}

/** Longer than any test of nodes. */
const BOUND_MS = 150_000;

/** One EventStoreDB, one provider, and as many nodes over them as a test starts, each with a folder of its own. */
export async function openCluster({ mongoUrl }: ClusterOptions = {}) {
  const provider = await startProvider();
  onTestFinished(() => provider.close());
  let server: FakeEventStore = await startFakeEventStore();
  onTestFinished(() => server.kill());
  const { port, database } = server;
  const url = server.url;
  const key = randomBytes(32).toString('base64');
  const folders = new Map<string, string>();

  async function folderOf(name: string): Promise<string> {
    const known = folders.get(name);
    if (known) return known;
    const folder = await tempDir(`node-${name}`);
    onTestFinished(() => folder[Symbol.asyncDispose]());
    folders.set(name, folder.path);
    return folder.path;
  }

  const settingsOf = async (name: string, env: Environment) => ({
    folder: await folderOf(name),
    provider,
    boundMs: BOUND_MS,
    env: {
      SVC_EVENTSTORE_URL: url,
      ...(mongoUrl !== undefined && { SVC_MONGODB_URL: mongoUrl }),
      SVC_ENCRYPTION_KEY: key,
      SVC_NODE_ID: name,
      SVC_DRAIN_SECONDS: '1',
      ...env,
    },
  });

  function endingWithTest<Service extends Running>(service: Service): Service {
    onTestFinished(() => service[Symbol.asyncDispose]());
    return service;
  }

  /** Starts a node, or starts it again over its folder; or runs a command on its folder, with its settings. */
  async function launch(name: string, env: Environment = {}, ...command: readonly string[]): Promise<Served> {
    const settings = await settingsOf(name, env);
    return endingWithTest(
      serve({ ...settings, ...(command.length > 0 && { command: [process.execPath, 'src/app/cli.ts', ...command] }) }),
    );
  }

  /** A node in a process of its own, which can be killed or held. */
  const node = async (name: string, env?: Environment) => nodeOf(name, await launch(name, env));

  /** A node in this process; see `serveInside`. */
  const nodeInside = async (name: string, env: Environment = {}) =>
    nodeOf(name, endingWithTest(serveInside(await settingsOf(name, env))));

  async function nodeOf<Service extends Running>(name: string, service: Service) {
    const at = await service.listening();
    const send = (method: string, path: string, { body, headers }: Sent = {}) =>
      fetch(at + path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    return {
      name,
      service,
      url: at,
      api: apiOf(at),
      send,
      /** A request for a model. @returns its status once its answer has ended */
      async ask(headers: Record<string, string> = {}): Promise<number> {
        const response = await send('POST', '/backend-api/svc/responses', { body: validRequest, headers });
        await response.text();
        return response.status;
      },
      /** Stops it in order. @returns how that ended */
      stop: () => service.stop(),
    };
  }

  return {
    provider,
    database,
    launch,
    node,
    nodeInside,
    /** How `svc <command>` ended on the folder of a node. */
    command: async (name: string, ...command: readonly string[]) => (await launch(name, {}, ...command)).ended,
    folderOf,
    get server() {
      return server;
    },
    /** EventStoreDB dies. */
    takeAway: () => server.kill(),
    /** It comes back with everything that it had confirmed. */
    async bringBack() {
      server = await startFakeEventStore({ port, database });
    },
  };
}

type Environment = Readonly<Record<string, string>>;

interface Sent {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export type Cluster = Awaited<ReturnType<typeof openCluster>>;
/** A node wherever it runs. */
export type ClusterNode = Awaited<ReturnType<Cluster['nodeInside']>>;
