import { join } from 'node:path';
import type { PathHandler } from '../../http/server.ts';
import { createDashboard, type Dashboard } from '../../http/static/dashboard.ts';
import { DASHBOARD, findDashboardBuilds } from '../dashboard/builds.ts';
import { keepDashboard } from '../dashboard/keepDashboard.ts';
import type { Foundation, ServiceIo } from './foundation.ts';
import { createManagementSurface, type ManagementSurfaceOptions } from './management.ts';

/** What operators use: the dashboard, and the management API behind it. */
export interface OperatorSurface {
  readonly serve: PathHandler;
  /** Ends what lasts until its client goes: the streams of `GET /api/live`. Called first when the service stops. */
  endLive(): void;
  stop(): Promise<void>;
}

/** Starts what operators use. Called once the service listens. */
export async function startOperatorSurface(
  foundation: Foundation,
  io: ServiceIo,
  options: ManagementSurfaceOptions,
): Promise<OperatorSurface> {
  const management = createManagementSurface(foundation, options);
  const dashboard = await openDashboard(foundation, io);
  await management.start();
  let dashboardStopped: Promise<void> | undefined;
  return {
    serve(request, response, path) {
      const { method } = request;
      if (!dashboard?.serve(request, response, path)) management.serve(request, response);
      else response.once('close', () => options.responses.count(DASHBOARD_ROUTE, method, response.statusCode));
    },
    endLive() {
      management.endLive();
      dashboardStopped = dashboard?.stop();
    },
    async stop() {
      await dashboardStopped;
      await management.stop();
    },
  };
}

/** All its files and pages as one route: their names change with each build. */
const DASHBOARD_ROUTE = '/dashboard';

interface RunningDashboard {
  readonly serve: Dashboard;
  stop(): Promise<void>;
}

/** @returns undefined if this process only serves a dashboard that has been built, and there is none */
async function openDashboard(
  { folder, faults, print }: Pick<Foundation, 'folder' | 'faults' | 'print'>,
  { buildsDashboard = false }: ServiceIo,
): Promise<RunningDashboard | undefined> {
  if (!buildsDashboard) {
    const serve = createDashboard(join(DASHBOARD, 'build'));
    return serve && { serve, stop: () => Promise.resolve() };
  }
  const builds = await findDashboardBuilds({ dashboard: DASHBOARD, privateFolder: folder.file('dashboard') });
  const dashboard = keepDashboard({ builds, faults, print });
  dashboard.start();
  return dashboard;
}
