import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, resolve } from 'node:path';
import { parseIp } from '../../domain/firewall/ipAddress.ts';
import { EvidenceShelf } from '../../evidence/shelf/evidenceShelf.ts';
import { type ClientAddress, createIsInRanges } from '../../http/client/clientAddress.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import type { HttpResponses } from '../../lib/metrics/httpResponses.ts';
import { createRetainedKeys } from '../../management/accounts/retainedKeys.ts';
import { createManagement, type ManagementOptions } from '../../management/app.ts';
import { DeniedActions } from '../../management/auth/deniedActions.ts';
import { createSetupToken } from '../../management/auth/setupToken.ts';
import { SignInRecorder } from '../../management/auth/signInRecorder.ts';
import { createCommands } from '../../management/http/commands.ts';
import { createViews } from '../../management/http/views.ts';
import { createAccountLinks } from '../../management/oauth/accountLinks.ts';
import { createDirectory } from '../../management/people/directory.ts';
import { LiveFeed } from '../../management/resources/live/liveFeed.ts';
import type { NodeStatus } from '../../management/resources/status.ts';
import { createAuthorization } from '../../provider/signIn/authorization.ts';
import { createDeviceCodes } from '../../provider/signIn/deviceCodes.ts';
import { proxySurface } from '../../proxy/proxySurface.ts';
import type { ReadModelPorts } from '../../readModels/readModels.ts';
import { keepReading } from '../../replay/reading/keepReading.ts';
import { ReplayShelf } from '../../replay/service/replayShelf.ts';
import type { Sinks } from '../../sinks/keepSinks.ts';
import { createPast } from '../../state/past/past.ts';
import { snapshotKey } from '../../state/snapshots/snapshotFolder.ts';
import { createVerifyOwnLog } from '../../verification/verifyOwnLog.ts';
import type { Config } from '../config/config.ts';
import { createArchiving, startRetention } from './archiving.ts';
import { createClientKey } from './clientKey.ts';
import type { Foundation } from './foundation.ts';
import { createOidc } from './oidc.ts';
import type { PendingState } from './pendingState.ts';
import type { ProviderServices } from './provider.ts';
import { createReadiness } from './readiness.ts';
import { whenSinksTake } from './sinks.ts';

export interface ManagementSurfaceOptions
  extends Pick<ManagementOptions, 'integrity' | 'postNotification' | 'allowsLinkLocal'> {
  readonly pendingState: PendingState;
  readonly provider: ProviderServices;
  readonly readModels: ReadModelPorts;
  readonly clientAddress: ClientAddress;
  readonly isHttps: (request: IncomingMessage) => boolean;
  /** Whether a client is known to run on this machine. */
  readonly isThisMachine: (request: ClientRequest) => boolean;
  readonly sinks: Sinks;
  /** The address under which people open the dashboard, without a slash at its end. */
  readonly publicUrl: string;
  readonly responses: Pick<HttpResponses, 'count'>;
  readonly isShuttingDown: () => boolean;
  readonly websockets: () => NodeStatus['websockets'];
}

/** The management API with its background work. */
export interface ManagementSurface {
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Resumes open sign-ins at the provider. */
  start(): Promise<void>;
  /** Ends the streams of `GET /api/live`. */
  endLive(): void;
  stop(): Promise<void>;
}

/** Creates the management surface. Called once the service listens: if it cannot listen, its set-up token is useless. */
export function createManagementSurface(
  foundation: Foundation,
  {
    pendingState,
    provider,
    readModels,
    integrity,
    sinks,
    postNotification,
    allowsLinkLocal,
    clientAddress,
    isHttps,
    isThisMachine,
    publicUrl,
    responses,
    isShuttingDown,
    websockets,
  }: ManagementSurfaceOptions,
): ManagementSurface {
  const { config, folder, store, hot, clock, handle, prices, now, newId, print, report, faults, jobs } = foundation;
  const { log, vault } = store;
  const { records } = pendingState;
  const setupToken = createSetupToken({
    hot,
    configured: config.SVC_SETUP_TOKEN,
    newToken: () => randomBytes(24).toString('base64url'),
    announce: (token) =>
      print(`No dashboard password is set. To set it from another machine, use setup_token ${token}`),
  });
  const signIns = new SignInRecorder({ record: records.recordSession, hot, now, report, faults });
  const denied = new DeniedActions({ record: records.recordSession, now, report });
  const live = new LiveFeed({ hot });
  const commands = createCommands({ log, handle });
  const authBaseUrl = config.SVC_AUTH_BASE_URL;
  const links = createAccountLinks({
    hot,
    commands,
    vault,
    now,
    newId,
    report,
    onAccountImported: provider.pollNewAccount,
    node: folder.node,
    authorization: createAuthorization({ authBaseUrl, agentFor: provider.agentFor, vault }),
    deviceCodes: createDeviceCodes({ authBaseUrl, agentFor: provider.agentFor, now }),
    callback: { host: callbackHost(config.SVC_HOST), port: config.SVC_OAUTH_CALLBACK_PORT },
  });
  const evidence = new EvidenceShelf({ folder: folder.path, logName: basename(store.logPath), newId, now });
  const past = createPast({ log, hot, logPath: store.logPath });
  const reading = keepReading({
    location: store.logPath,
    snapshots: { folder: folder.file('snapshots'), key: snapshotKey(vault) },
  });
  const archiving = createArchiving(foundation);
  const stopRetention = startRetention(foundation, archiving);
  const oidc = createOidc(foundation, { agentFor: provider.agentFor, publicUrl });
  const management = createManagement({
    views: createViews({
      hot,
      past,
      now,
      windowsNow: () => clock.limitClock.shown(),
    }),
    commands,
    queries: readModels,
    vault,
    ids: { newId, newKeyBytes: () => randomBytes(24) },
    now,
    directory: createDirectory({ vault, state: () => hot.state }),
    publicUrl,
    dashboardAuth: { signIns, denied, setupToken, allowsLocalSignIn: config.SVC_LOCAL_SIGN_IN },
    ...(oidc && { oidc }),
    links,
    live,
    jobs,
    retainedKeys: createRetainedKeys({ hot, vault, log, mutex: commands.mutex, report }),
    integrity,
    postNotification,
    allowsLinkLocal,
    evidence,
    recordEvidence: records.recordAudit,
    recordExport: records.recordAudit,
    recordForgetting: records.recordAudit,
    verifyLog: createVerifyOwnLog({
      folder: folder.path,
      logName: basename(store.logPath),
      comparesReadModels: config.SVC_MONGODB_URL === undefined,
      checkpoints: config.SVC_CHECKPOINT_DIR && resolve(config.SVC_CHECKPOINT_DIR),
    }),
    recordVerification: records.recordAudit,
    archiving,
    clientKey: createClientKey({
      hot: hot.state,
      now,
      clientAddress,
      isThisMachine,
      allowsOpen: config.SVC_ALLOW_OPEN,
    }),
    replays: new ReplayShelf(store.logPath),
    explain: reading.explain,
    blameEvents: reading,
    connection: { clientAddress, isHttps },
    nodeStatus: () => ({ ...nodeStatusOf(foundation, pendingState, sinks), websockets: websockets() }),
    whenSinksTake: whenSinksTake(sinks),
    node: {
      name: folder.node,
      isClockHeld: () => clock.limitClock.isHeld || clock.limitClock.ofNewLimit() > now(),
      clockDisagreement: () => clock.disagreement,
    },
    pricedModels: prices.models.map(({ model }) => model.replace(/\*$/, '')),
    usageRefreshSeconds: config.SVC_USAGE_REFRESH_SECONDS,
    onAccountImported: provider.pollNewAccount,
    otherSurfaces: [proxySurface],
    metrics: { registry: foundation.metrics, isAllowedPeer: createIsAllowedPeer(config.SVC_METRICS_ALLOW) },
    responses,
    readiness: createReadiness({
      ...foundation,
      sinks,
      hasIdleConnection: provider.hasIdleConnection,
      coolDowns: pendingState.cooldowns,
      isShuttingDown,
    }),
    report,
  });

  return {
    serve: management.callback(),
    start: links.start,
    endLive: () => live.stop(),
    async stop() {
      stopRetention();
      await links.stop();
      await signIns.stop();
      await denied.stop();
      await evidence.close();
      await reading.close();
    },
  };
}

/** The peer itself, not an address that it forwards: that could be invented. */
function createIsAllowedPeer(ranges: Config['SVC_METRICS_ALLOW']): (request: IncomingMessage) => boolean {
  const isInRanges = createIsInRanges(ranges);
  return ({ socket }) => isInRanges(parseIp(socket.remoteAddress ?? ''));
}

const nodeStatusOf = (
  { config, folder, store, nodes, leaderTasks, faults }: Foundation,
  { ledger, sharedLimits }: PendingState,
  sinks: Sinks,
): NodeStatus => ({
  node: folder.node,
  nodes: nodes.names,
  events: store.name,
  cutOffSince: store.cutOffSince,
  outbox: store.outbox,
  readModels: config.SVC_MONGODB_URL === undefined ? 'embedded' : 'mongodb',
  leaderTasks: [...leaderTasks.all].map(([name, { holder, isHere }]) => ({ name, holder, isHere })),
  sinks: sinks.status,
  faults: faults.current,
  reservations: { requests: ledger.size, amountOn: sharedLimits.knownOn },
});

/** The callback arrives on the loopback interface, or in a container on the one whose ports are published. */
const callbackHost = (host: string) => (host === '0.0.0.0' || host === '::' ? host : '127.0.0.1');
