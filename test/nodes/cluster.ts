import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { managementApi } from '../durability/support/managementApi.ts';
import { type RunningService, type ServiceProcess, serve } from '../durability/support/serve.ts';
import { serveInProcess } from '../durability/support/serveInProcess.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { type FakeEventStore, startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { startNetworkLink } from '../support/eventstore/networkLink.ts';
import { validRequest } from '../support/gateway.ts';
import { startProvider } from '../support/provider/provider.ts';

export interface ClusterOptions {
  /** URL for read models in MongoDB. Without it they are in the folder of each node. */
  readonly mongoUrl?: string | undefined;
  /** Puts a link between the nodes and EventStoreDB, which the test can freeze. */
  readonly hasLink?: boolean;
}

/** Kills nodes that a test left running; longer than any test takes. */
const BOUND_MS = 150_000;

/** Starts a fake EventStoreDB and a fake provider. A test starts nodes over them, each with its own data folder. */
export async function openCluster({ mongoUrl, hasLink = false }: ClusterOptions = {}) {
  const provider = await startProvider();
  onTestFinished(() => provider.close());
  let server: FakeEventStore = await startFakeEventStore();
  onTestFinished(() => server.kill());
  const { port, database } = server;
  const link = hasLink ? await startNetworkLink(server) : undefined;
  if (link) onTestFinished(() => link[Symbol.asyncDispose]());
  const url = server.url.replace(String(port), String(link?.port ?? port));
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
    timeoutMs: BOUND_MS,
    env: {
      SVC_EVENTSTORE_URL: url,
      ...(mongoUrl !== undefined && { SVC_MONGODB_URL: mongoUrl }),
      SVC_ENCRYPTION_KEY: key,
      SVC_NODE_ID: name,
      SVC_DRAIN_SECONDS: '1',
      ...env,
    },
  });

  function stopAfterTest<Service extends RunningService>(service: Service): Service {
    onTestFinished(() => service[Symbol.asyncDispose]());
    return service;
  }

  /** Starts a node, or runs a command of svc, with the node's folder and settings. */
  async function launch(name: string, env: Environment = {}, ...command: readonly string[]): Promise<ServiceProcess> {
    const settings = await settingsOf(name, env);
    return stopAfterTest(
      serve({ ...settings, ...(command.length > 0 && { command: [process.execPath, 'src/start.mjs', ...command] }) }),
    );
  }

  /** Starts a node in its own process, which can be killed or paused. */
  const node = async (name: string, env?: Environment) => nodeOf(name, await launch(name, env));

  /** Starts a node in this process; see `serveInProcess`. */
  const inProcessNode = async (name: string, env: Environment = {}) =>
    nodeOf(name, stopAfterTest(serveInProcess(await settingsOf(name, env))));

  async function nodeOf<Service extends RunningService>(name: string, service: Service) {
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
      api: managementApi(at),
      send,
      /** Makes a model request. @returns its status after the end of the response */
      async ask(headers: Record<string, string> = {}): Promise<number> {
        const response = await send('POST', '/backend-api/svc/responses', { body: validRequest, headers });
        await response.text();
        return response.status;
      },
      /** Shuts the node down normally. */
      stop: () => service.stop(),
    };
  }

  return {
    provider,
    database,
    /** `SVC_ENCRYPTION_KEY` of every node. */
    key,
    /** `SVC_EVENTSTORE_URL` of every node. */
    url,
    launch,
    node,
    inProcessNode,
    /** Runs `svc <command>` with the folder of a node, to its end. */
    command: async (name: string, ...command: readonly string[]) => (await launch(name, {}, ...command)).ended,
    folderOf,
    link,
    get server() {
      return server;
    },
    /** Kills EventStoreDB. */
    stopEventStore: () => server.kill(),
    /** Starts EventStoreDB again with everything that it had confirmed. */
    async restartEventStore() {
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
/** A node, in this process or in its own. */
export type ClusterNode = Awaited<ReturnType<Cluster['inProcessNode']>>;
