import { join } from 'node:path';
import { createDashboard, type Dashboard } from '../../http/static/dashboard.ts';
import { createUnavailableDashboard } from '../../http/static/unavailableDashboard.ts';
import type { Faults } from '../../lib/faults.ts';
import type { Print } from '../../lib/log/line.ts';
import type { DashboardBuilds, DashboardMaker } from './builds.ts';
import { type RunningBuild, runBuild } from './runBuild.ts';

export interface KeepDashboardOptions {
  readonly builds: DashboardBuilds;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  readonly print: Print;
}

/** The dashboard of a service, which is built while the service runs. */
export interface KeptDashboard {
  /** Serves the dashboard; until it is there, 503 and a page that says why. */
  readonly serve: Dashboard;
  /** Called once the service listens: builds the dashboard if it is missing or older than its sources. */
  start(): void;
  stop(): Promise<void>;
}

const FAULT = 'dashboard_not_built';
const RETRY_AFTER_SECONDS = 5;
/** How often to look for a build that another process makes after ours has failed. */
const LOOK_MS = 2_000;

const BUILDING = createUnavailableDashboard({
  sentences: ['The dashboard is being built, which takes about 10 s. The API works meanwhile.'],
  refreshSeconds: 3,
  retryAfterSeconds: RETRY_AFTER_SECONDS,
});
const NOT_BUILT = createUnavailableDashboard({
  sentences: [
    'The dashboard has not been built. The API works without it.',
    'To build it, run "npm run build" where svc is installed. The output of svc and GET /api/status say why it was not built at the start.',
  ],
  refreshSeconds: 10,
});

/** Serves the current build of the dashboard, and makes one if there is none. */
export function keepDashboard({ builds, faults, print }: KeepDashboardOptions): KeptDashboard {
  let build: RunningBuild | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const current = dashboardOf(builds.current());
  let serve = current ?? BUILDING;

  /** Serves what there is without a current build, until there is another build. */
  function goOnWithout(reason: string, remedy: string): void {
    const last = builds.any();
    const lastStamp = last && builds.stampOf(last);
    const older = dashboardOf(last);
    serve = older ?? NOT_BUILT;
    const cost = older ? 'The last one that was built is served.' : 'Its pages get 503; the API works.';
    faults.raise({ code: FAULT, cause: `${reason} ${cost}`, remedy });
    timer = setInterval(() => {
      const found = builds.any();
      if (found === undefined || (found === last && builds.stampOf(found) === lastStamp)) return;
      const dashboard = dashboardOf(found);
      if (!dashboard) return;
      clearInterval(timer);
      serve = dashboard;
      faults.clear(FAULT, undefined, 'The dashboard was built and is served.');
    }, LOOK_MS).unref();
  }

  async function make({ program, into }: DashboardMaker): Promise<void> {
    const folder = into();
    build = runBuild(program, folder, () =>
      print('Building the dashboard, about 10 s. Its pages get 503 until then; everything else works.'),
    );
    const outcome = await build.ended;
    build = undefined;
    if (isStopped) return;
    const dashboard = outcome.kind === 'built' ? createDashboard(join(folder, 'build')) : undefined;
    if (outcome.kind === 'built' && dashboard) {
      serve = dashboard;
      const { seconds } = outcome;
      print(`The dashboard is built${seconds === undefined ? '' : `, in ${seconds.toFixed(1)} s`}.`);
      return;
    }
    const reason = outcome.kind === 'failed' ? outcome.reason.replace(/[.\s]+$/, '') : `${folder} cannot be read`;
    goOnWithout(
      `The dashboard could not be built: ${reason}.`,
      'Run "npm run build" where svc is installed, which shows why. svc serves the result without a restart.',
    );
  }

  return {
    serve: (request, response, path) => serve(request, response, path),
    start() {
      if (current) return;
      const { maker } = builds;
      const missing = maker?.missingPackages() ?? [];
      if (maker === undefined) {
        goOnWithout(
          'The dashboard is missing, and so are its sources.',
          'Install svc again, or build its image again.',
        );
      } else if (missing.length > 0) {
        goOnWithout(
          `The dashboard cannot be built, because packages are not installed: ${missing.join(', ')}.`,
          'Run "npm ci" and "npm run build" where svc is installed. svc serves the result without a restart.',
        );
      } else void make(maker);
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await build?.stop();
    },
  };
}

const dashboardOf = (build: string | undefined): Dashboard | undefined =>
  build === undefined ? undefined : createDashboard(build);
