import { createPostNotification } from '../alerts/postNotification.ts';
import type { StopReason } from '../domain/audit/events.ts';
import { createClientAddress } from '../http/client/clientAddress.ts';
import { createIsHttps } from '../http/client/isHttps.ts';
import { createIsThisMachine } from '../http/client/isThisMachine.ts';
import { startHttpServer } from '../http/server.ts';
import { TREE_FILE } from '../integrity/tree/treeFile.ts';
import { HttpResponses } from '../lib/metrics/httpResponses.ts';
import { createPost } from '../lib/outgoing/post.ts';
import { createIsModelPath, createIsProxyPath, createIsSocketPath } from '../proxy/routes/routes.ts';
import { keepTreeCompared } from '../verification/keepTreeCompared.ts';
import { createAlerts } from './wiring/alerts.ts';
import { openCheckpoints } from './wiring/checkpoints.ts';
import { destroyLeftKeys } from './wiring/destroyLeftKeys.ts';
import type { Foundation, ServiceIo } from './wiring/foundation.ts';
import { createLateSurface } from './wiring/lateSurface.ts';
import { createPendingState } from './wiring/pendingState.ts';
import { createProviderServices } from './wiring/provider.ts';
import { createProxySurface } from './wiring/proxy.ts';
import { openReadModels } from './wiring/readModels.ts';
import { addServiceMetrics } from './wiring/serviceMetrics.ts';
import { openSinks } from './wiring/sinks.ts';
import { startBackgroundWork } from './wiring/startBackgroundWork.ts';
import { openTraces } from './wiring/traces.ts';
import { openTree } from './wiring/tree.ts';
import { watchOpenAccess } from './wiring/watchOpenAccess.ts';

export interface Service {
  readonly url: string;
  /**
   * Lets open streams finish for `SVC_DRAIN_SECONDS`, flushes the log and closes everything. Safe to call twice.
   * @param reason is recorded; default: a command
   */
  stop(reason?: StopReason): Promise<void>;
  /** Ends the open requests that `stop` waits for, with `shutting_down`. */
  endOpenRequests(): void;
}

/** Time for responses to arrive after the drain. */
const MIN_DELIVERY_MS = 1_000;

/**
 * Creates and starts every part of the service; together with `wiring/` the only code that knows them all.
 * @throws when a part cannot start, with what to do
 */
export async function runService(foundation: Foundation, io: ServiceIo): Promise<Service> {
  const { config } = foundation;
  const readModels = await openReadModels(foundation);
  const tree = openTree(foundation);
  const pendingState = await createPendingState(foundation);
  foundation.clock.start(pendingState.records.recordClockJump);
  const provider = await createProviderServices(foundation, pendingState.records);
  const addressing = {
    trustsProxyHeaders: config.FIREWALL_TRUST_PROXY_HEADERS,
    trustedProxies: config.FIREWALL_TRUSTED_PROXY_CIDRS,
    mode: config.FIREWALL_XFF_MODE,
  };
  const post = createPost({
    agentsFor: (url) => provider.agentFor(url, null),
    allowsLinkLocal: config.SVC_ALLOW_LINK_LOCAL,
  });
  const postNotification = createPostNotification(post);
  const checkpoints = await openCheckpoints(foundation, { tree, post });
  const sinks = openSinks(foundation, { post });
  const traces = await openTraces(foundation, { post });
  const clientAddress = createClientAddress(addressing);
  const isHttps = createIsHttps(addressing);
  const isThisMachine = createIsThisMachine(addressing);
  const responses = new HttpResponses();
  foundation.metrics.add(responses.metric);
  addServiceMetrics(foundation, {
    pendingState,
    readModels,
    tree,
    checkpoints,
    sinks: () => sinks.status.map(({ kind, position }) => ({ name: kind, reached: () => position })),
  });
  const proxy = await createProxySurface(foundation, {
    pendingState,
    provider,
    sinks,
    traces,
    clientAddress,
    isThisMachine,
    responses,
    socketTimes: io.socketTimes,
  });
  await destroyLeftKeys(foundation);
  watchOpenAccess(foundation);
  const operators = createLateSurface(async () => {
    const { startOperatorSurface } = await import('./wiring/operatorSurface.ts');
    const integrity = { tree, checkpoints };
    const publicUrl = config.SVC_PUBLIC_URL ?? server.url;
    const services = {
      pendingState,
      provider,
      readModels,
      integrity,
      sinks,
      postNotification,
      allowsLinkLocal: config.SVC_ALLOW_LINK_LOCAL,
      clientAddress,
      isHttps,
      isThisMachine,
      publicUrl,
      responses,
      isShuttingDown: () => proxy.isClosed,
      websockets: () => proxy.websockets,
    };
    return startOperatorSurface(foundation, io, services);
  }, io.onFatal);
  const server = await startHttpServer({
    host: config.SVC_HOST,
    port: config.SVC_PORT,
    isProxyPath: createIsProxyPath({ hasAliases: config.SVC_CODEX_ALIASES }),
    isPlainPath: config.SVC_PLAIN_HTTP ? createIsModelPath({ hasAliases: config.SVC_CODEX_ALIASES }) : undefined,
    proxy: proxy.serve,
    upgrades:
      config.SVC_WEBSOCKET === 'on'
        ? { isUpgradePath: createIsSocketPath({ hasAliases: config.SVC_CODEX_ALIASES }), upgrade: proxy.upgrade }
        : undefined,
    operators: operators.serve,
    descriptors: foundation.descriptors,
    unreadMs: config.SVC_STREAM_IDLE_TIMEOUT_SECONDS * 1_000,
  });
  const alerts = createAlerts(foundation, { postNotification, publicUrl: config.SVC_PUBLIC_URL ?? server.url });
  operators.start();
  provider.start();
  alerts.start();
  const treeComparer = keepTreeCompared({
    logPath: foundation.store.logPath,
    treePath: foundation.folder.file(TREE_FILE),
    faults: foundation.faults,
    report: foundation.report,
  });
  // First what the start left, which would stay for as long as the service rests.
  void Promise.resolve(io.collectGarbage?.()).then(() =>
    startBackgroundWork({ ...foundation, progress: readModels.progress, tree, checkpoints, treeComparer }),
  );
  pendingState.records.recordStart();
  sinks.start();

  let stopped: Promise<void> | undefined;
  async function stopOnce(reason: StopReason): Promise<void> {
    proxy.close();
    operators.endLive();
    server.stopListening();
    const jobsStopped = foundation.jobs.stop();
    const drainMs = config.SVC_DRAIN_SECONDS * 1_000;
    const deadline = performance.now() + drainMs;
    await proxy.drained(drainMs);
    // Responses must arrive in full, and requests whose bodies were still arriving get a response.
    await server.closed(Math.max(MIN_DELIVERY_MS, deadline - performance.now()));
    await proxy.drained(0);
    await jobsStopped;
    await operators.stop();
    await alerts.stop();
    await provider.stop();
    await proxy.stop();
    foundation.clock.stop();
    await treeComparer.stop();
    const last = await pendingState.records.stop(reason);
    await Promise.all([checkpoints.stop(last), sinks.stop(last), traces?.stop()]);
    await tree.close();
    await readModels.close();
    await foundation.close();
  }
  return {
    url: server.url,
    stop: (reason = { reason: 'command', detail: null }) => {
      stopped ??= stopOnce(reason);
      return stopped;
    },
    endOpenRequests: () => void proxy.drained(0).then(() => server.closed(MIN_DELIVERY_MS)),
  };
}
