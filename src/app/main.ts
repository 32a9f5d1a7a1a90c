import { join } from 'node:path';
import type { StopReason } from '../domain/audit/events.ts';
import { createClientAddress } from '../http/client/clientAddress.ts';
import { createIsHttps } from '../http/client/isHttps.ts';
import { createIsThisMachine } from '../http/client/isThisMachine.ts';
import { startHttpServer } from '../http/server.ts';
import { createDashboard } from '../http/static/dashboard.ts';
import { TREE_FILE } from '../integrity/tree/treeFile.ts';
import { createIsModelPath, createIsProxyPath } from '../proxy/routes/routes.ts';
import { keepTreeCompared } from '../verification/keepTreeCompared.ts';
import type { Config } from './config/config.ts';
import { DASHBOARD, findDashboardBuilds } from './dashboard/builds.ts';
import { type KeptDashboard, keepDashboard } from './dashboard/keepDashboard.ts';
import { openCheckpoints } from './wiring/checkpoints.ts';
import { type Foundation, openFoundation, type ServiceIo } from './wiring/foundation.ts';
import { createManagementSurface } from './wiring/management.ts';
import { createPendingState } from './wiring/pendingState.ts';
import { createProviderServices } from './wiring/provider.ts';
import { createProxySurface } from './wiring/proxy.ts';
import { openReadModels } from './wiring/readModels.ts';
import { startBackgroundWork } from './wiring/startBackgroundWork.ts';
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
 * Creates and starts the whole service; together with `wiring/` the only code that knows every part.
 * @throws when a part cannot start, with what to do
 */
export async function startService(config: Config, io: ServiceIo): Promise<Service> {
  const foundation = await openFoundation(config, io);
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
  const checkpoints = await openCheckpoints(foundation, { tree, agentFor: provider.agentFor });
  const clientAddress = createClientAddress(addressing);
  const isHttps = createIsHttps(addressing);
  const isThisMachine = createIsThisMachine(addressing);
  const proxy = await createProxySurface(foundation, { pendingState, provider, clientAddress, isThisMachine });
  const management = await createManagementSurface(foundation, {
    pendingState,
    provider,
    readModels,
    integrity: { tree, checkpoints },
    clientAddress,
    isHttps,
    isThisMachine,
  });
  watchOpenAccess(foundation);
  const dashboard = await openDashboard(foundation, io);
  const server = await startHttpServer({
    host: config.SVC_HOST,
    port: config.SVC_PORT,
    isProxyPath: createIsProxyPath({ hasAliases: config.SVC_CODEX_ALIASES }),
    isPlainPath: config.SVC_PLAIN_HTTP ? createIsModelPath({ hasAliases: config.SVC_CODEX_ALIASES }) : undefined,
    proxy: proxy.serve,
    dashboard: dashboard?.serve,
    management: management.serve,
    descriptors: foundation.descriptors,
    unreadMs: config.SVC_STREAM_IDLE_TIMEOUT_SECONDS * 1_000,
  });
  dashboard?.start();
  provider.start();
  await management.start();
  const treeComparer = keepTreeCompared({
    logPath: foundation.store.logPath,
    treePath: foundation.folder.file(TREE_FILE),
    faults: foundation.faults,
    report: foundation.report,
  });
  void startBackgroundWork({ ...foundation, progress: readModels.progress, tree, checkpoints, treeComparer });
  pendingState.records.recordStart();

  let stopped: Promise<void> | undefined;
  async function stopOnce(reason: StopReason): Promise<void> {
    proxy.close();
    management.endLive();
    server.stopListening();
    const jobsStopped = foundation.jobs.stop();
    const dashboardStopped = dashboard?.stop();
    const drainMs = config.SVC_DRAIN_SECONDS * 1_000;
    const deadline = performance.now() + drainMs;
    await proxy.drained(drainMs);
    // Responses must arrive in full, and requests whose bodies were still arriving get a response.
    await server.closed(Math.max(MIN_DELIVERY_MS, deadline - performance.now()));
    await proxy.drained(0);
    await dashboardStopped;
    await jobsStopped;
    await management.stop();
    await provider.stop();
    await proxy.stop();
    foundation.clock.stop();
    await treeComparer.stop();
    await checkpoints.stop(await pendingState.records.stop(reason));
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

/** @returns undefined if this process only serves a dashboard that has been built, and there is none */
async function openDashboard(
  { folder, faults, print }: Pick<Foundation, 'folder' | 'faults' | 'print'>,
  { buildsDashboard = false }: ServiceIo,
): Promise<KeptDashboard | undefined> {
  if (buildsDashboard) {
    const builds = await findDashboardBuilds({ dashboard: DASHBOARD, privateFolder: folder.file('dashboard') });
    return keepDashboard({ builds, faults, print });
  }
  const serve = createDashboard(join(DASHBOARD, 'build'));
  return serve && { serve, start: () => undefined, stop: () => Promise.resolve() };
}
