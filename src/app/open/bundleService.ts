import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotTaken } from '../../alerts/postNotification.ts';
import { Archiving } from '../../archive/archiving.ts';
import { type Instant, instant, position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { initialState as noPassword } from '../../domain/dashboardAuth/state.ts';
import type { IpAddress } from '../../domain/firewall/ipAddress.ts';
import { initialState as noOperators } from '../../domain/operator/state.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import type { Manifest } from '../../evidence/format/manifest.ts';
import { EvidenceShelf } from '../../evidence/shelf/evidenceShelf.ts';
import { type HttpServer, startHttpServer } from '../../http/server.ts';
import type { Checkpoints } from '../../integrity/checkpoints/checkpoints.ts';
import { keepTree } from '../../integrity/tree/keepTree.ts';
import { Faults } from '../../lib/faults.ts';
import { JobRunner } from '../../lib/jobs/jobRunner.ts';
import { createManagement, type ManagementOptions } from '../../management/app.ts';
import { createCommands } from '../../management/http/commands.ts';
import { createViews } from '../../management/http/views.ts';
import { createDirectory } from '../../management/people/directory.ts';
import { LiveFeed } from '../../management/resources/live/liveFeed.ts';
import { createSqliteReadModels } from '../../readModels/sqlite/sqliteReadModels.ts';
import { BlameEventsOfFile } from '../../replay/blame/blameEvents.ts';
import { explainFrom } from '../../replay/explain/explainFromLog.ts';
import { ReplayShelf } from '../../replay/service/replayShelf.ts';
import { createCommandHandler } from '../../state/commands/commandHandler.ts';
import { copyState } from '../../state/fold/checkpoints.ts';
import { emptyFold } from '../../state/fold/fold.ts';
import { startHotRunner } from '../../state/hotRunner.ts';
import { createPast, MomentArchived, type MomentQuery, type Past } from '../../state/past/past.ts';
import { readStateText } from '../../state/snapshots/stateText.ts';
import { openSqliteVault } from '../../vault/sqliteVault.ts';
import { createVerifyOwnLog } from '../../verification/verifyOwnLog.ts';
import { DASHBOARD, findDashboardBuilds } from '../dashboard/builds.ts';
import { keepDashboard } from '../dashboard/keepDashboard.ts';
import { createClientKey } from '../wiring/clientKey.ts';
import { readPrices } from '../wiring/pricesFile.ts';
import type { LoadedBundle } from './loadBundle.ts';

export interface BundleServiceOptions extends LoadedBundle {
  /** A temporary folder, with the log of the bundle. */
  readonly folder: string;
  /** The bundle as its reader named it. */
  readonly name: string;
  readonly manifest: Manifest;
  readonly port: number;
  /** Without it, only the API is served. */
  readonly hasDashboard?: boolean;
  readonly report: (error: unknown) => void;
}

export interface BundleService {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the events of a bundle on the loopback interface, as the service showed them: dashboard and API, at any position within the
 * bundle. Nothing can be changed; the clock stands at the last event.
 */
export async function startBundleService(options: BundleServiceOptions): Promise<BundleService> {
  const { folder, logPath, beginPath, name, manifest, report } = options;
  const log = await createSqliteEventLog({ path: logPath, node: 'bundle' });
  const fold = beginPath === undefined ? emptyFold() : readStateText(readFileSync(beginPath, 'utf8'));
  const beginState = copyState(fold.state);
  const begin = { position: fold.state.position, time: fold.checkpoints.latest };
  const hot = await startHotRunner(log, report, fold);
  // Anyone who can read the file may read what is in it. There are no passwords in it to sign in with.
  hot.state.dashboardAuth = noPassword;
  hot.state.operators = noOperators;
  const now = (): Instant => (hot.checkpoints.latest < 0 ? instant(0) : hot.checkpoints.latest);
  const newId = randomUUID;
  const faults = new Faults({ print: () => undefined, now });
  const past = within(begin, createPast({ log, hot, logPath }));
  const readModels = createSqliteReadModels({ folder, logPath, onFailure: report });
  readModels.notify(hot.state.position);
  // Has none of the keys of what the log sealed; seals who starts a replay.
  const vault = openSqliteVault({ folder });
  const jobs = new JobRunner<Actor>({ newId, now, report });
  const live = new LiveFeed({ hot });
  const tree = keepTree({ folder, logPath });
  const evidence = new EvidenceShelf({ folder, logName: 'log.sqlite', newId, now, parent: folder });
  const blameEvents = new BlameEventsOfFile(logPath, beginState);
  const clients = { clientAddress: () => '127.0.0.1' as IpAddress, isThisMachine: () => true, allowsOpen: false };
  const management = createManagement({
    ...CLOSED,
    views: createViews({ hot, past, now }),
    commands: createCommands({ log, handle: createCommandHandler({ log, hot, now }) }),
    queries: readModels,
    vault,
    directory: createDirectory({ vault, state: () => hot.state }),
    publicUrl: `http://127.0.0.1:${options.port}`,
    ids: { newId, newKeyBytes: () => randomBytes(24) },
    now,
    live,
    jobs,
    postNotification: () => Promise.reject(new NotTaken('a bundle sends nothing')),
    allowsLinkLocal: false,
    integrity: { tree, checkpoints: checkpointsOf(manifest) },
    evidence,
    verifyLog: createVerifyOwnLog({ folder, logName: 'log.sqlite', comparesReadModels: false, checkpoints: undefined }),
    archiving: new Archiving({
      log,
      logPath,
      removeRows: log.removeRows,
      restoreRows: log.restoreRows,
      folder: join(folder, 'archives'),
      holds: () => hot.state.holds.active.values(),
      whenFolded: () => Promise.resolve(),
      now,
    }),
    clientKey: createClientKey({ hot: hot.state, now, ...clients }),
    replays: new ReplayShelf(logPath, beginPath),
    explain: async (requestId, at) => {
      try {
        return { explanation: await explainFrom(past, logPath, requestId, at) };
      } catch (error) {
        if (!(error instanceof MomentArchived)) throw error;
        const { position: missing, day, file } = error;
        return { explanation: undefined, archived: { position: missing, day, file } };
      }
    },
    blameEvents,
    nodeStatus: () => ({ ...NODE, bundle: name }),
    node: { name: 'bundle', isClockHeld: () => false, clockDisagreement: () => undefined },
    pricedModels: readPrices(undefined).models.map(({ model }) => model.replace(/\*$/, '')),
    usageRefreshSeconds: 60,
    readOnly: `This is the evidence bundle ${name}, which cannot be changed.`,
    report,
  });
  const dashboard =
    options.hasDashboard === false
      ? undefined
      : keepDashboard({
          builds: await findDashboardBuilds({ dashboard: DASHBOARD, privateFolder: join(folder, 'dashboard') }),
          faults,
          print: () => undefined,
        });
  dashboard?.start();
  const serve = management.callback();
  const server: HttpServer = await startHttpServer({
    host: '127.0.0.1',
    port: options.port,
    portSetting: '--port',
    isProxyPath: () => false,
    proxy: (_request, response) => response.destroy(),
    operators(request, response, path) {
      if (!dashboard?.serve(request, response, path)) serve(request, response);
    },
    unreadMs: UNREAD_MS,
  });
  return {
    url: server.url,
    async close() {
      live.stop();
      server.stopListening();
      await server.closed(0);
      await dashboard?.stop();
      await jobs.stop();
      await evidence.close();
      blameEvents.close();
      hot.stop();
      await tree.close();
      await readModels.close();
      await log.close();
      vault.close();
    },
  };
}

const UNREAD_MS = 60_000;

/** What the state before the bundle follows from is not in it. */
function within(begin: { readonly position: number; readonly time: Instant }, past: Past): Past {
  const requireWithin = (when: MomentQuery, param = 'at'): void => {
    const isBefore = 'time' in when ? when.time < begin.time : when.position < begin.position;
    if (isBefore) {
      refuse('validation_error', {
        param,
        problem: `lies before the bundle, whose state begins at position ${begin.position}`,
      });
    }
  };
  return {
    at: async (when) => {
      requireWithin(when);
      return past.at(when);
    },
    step: async (at) => {
      // Of events before, the bundle has no state to compare.
      requireWithin({ position: position(at - 1) }, 'position');
      return past.step(at);
    },
    requireSums: past.requireSums,
  };
}

const NODE: ReturnType<ManagementOptions['nodeStatus']> = {
  node: 'bundle',
  nodes: ['bundle'],
  events: 'embedded',
  cutOffSince: undefined,
  outbox: undefined,
  readModels: 'embedded',
  leaderTasks: [],
  faults: [],
  reservations: { requests: 0, amountOn: () => 0 },
};

/** The checkpoints of the bundle were verified before it was opened; nothing is signed here. */
const checkpointsOf = ({ origin, key }: Manifest): Checkpoints => ({
  origin,
  vkey: key,
  refusal: 'An opened evidence bundle signs nothing. Run "svc verify" for the checkpoints in it.',
  latest: () => undefined,
  covering: () => Promise.reject(new Error('The bundle itself has the proofs of its events: run "svc verify".')),
  between: () => [],
  keyChanges: () => [],
  targets: [],
  stop: () => Promise.resolve(),
});

const closed = () => refuse('read_only', { problem: 'An evidence bundle cannot be changed.' });
const closedLater = () => Promise.reject(new Error('An evidence bundle cannot be changed.'));

/** What only writes use; `readOnly` refuses them before. */
const CLOSED = {
  dashboardAuth: {
    signIns: { record: closedLater, recordFailed: closedLater, countThrottled: closed, stop: closedLater },
  },
  links: { startLink: closed, receiveCallback: closed, cancelLink: closedLater, start: closedLater, stop: closedLater },
  retainedKeys: { settled: closedLater },
  recordEvidence: closedLater,
  recordExport: closedLater,
  recordForgetting: closedLater,
  recordVerification: closedLater,
} as unknown as Pick<
  ManagementOptions,
  | 'dashboardAuth'
  | 'links'
  | 'retainedKeys'
  | 'recordEvidence'
  | 'recordExport'
  | 'recordForgetting'
  | 'recordVerification'
>;
