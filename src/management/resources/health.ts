import { z } from 'zod';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { EVERYONE } from '../http/roles.ts';

/** Why model requests sent to this node now would fail, as names that never change, and what each means. */
export const NOT_READY = {
  shutting_down: 'svc is stopping: it accepts no new model requests',
  log_unavailable: 'The event log cannot be written, for example because its disk is full or does not respond',
  outbox_full: 'The outbox is full while EventStoreDB is unreachable',
  sink_unavailable: 'A sink that is set to fail closed takes no events: model requests and changes wait for it',
  fold_behind: 'This node has not caught up with the event log',
  no_accounts: 'There is no account',
  no_account_available: 'No account can serve now: all are used up, paused or deactivated',
  disk_space_low: 'The disk of the data folder has less than 64 MiB left',
  out_of_file_descriptors: 'Too few file descriptors are left for new connections to the provider',
} as const;

export type NotReadyCode = keyof typeof NOT_READY;

/** @returns nothing when model requests can be served; without secrets, because everyone may ask */
export type CheckReadiness = () => Promise<readonly NotReadyCode[]>;

const Health = z.object({ status: z.literal('ok') });
const Ready = z.object({ status: z.literal('ready') });
const NotReady = z
  .object({
    status: z.literal('not_ready'),
    reasons: z.array(z.object({ code: z.enum(Object.keys(NOT_READY) as NotReadyCode[]), message: z.string() })),
  })
  .meta({ id: 'NotReady' });

const routes = {
  health: describeRoute({
    roles: EVERYONE,
    at: { none: 'it shows whether this process runs' },
    summary: 'Check that the process is running',
    response: Health,
  }),
  live: describeRoute({
    roles: EVERYONE,
    at: { none: 'it shows whether this process runs' },
    operationId: 'getLiveness',
    summary: 'Check that the process is running and responds; restart it when it does not',
    response: Health,
  }),
  ready: describeRoute({
    roles: EVERYONE,
    at: { none: 'it shows whether this process can serve now' },
    summary: 'Check that model requests can be served by this node; send it none when they cannot',
    response: Ready,
    otherResponse: { status: 503, body: NotReady },
  }),
};

interface HealthOptions {
  /** Absent where there are no model requests to serve. */
  readonly readiness?: CheckReadiness | undefined;
}

/** Public, and independent of provider and read models (docs/decisions/0045-optional-keys-and-public-paths.md). */
export const healthRoutes = ({ readiness = async () => [] }: HealthOptions) =>
  newRouter('')
    .get('/health', routes.health, () => ({ status: 'ok' }))
    .get('/live', routes.live, () => ({ status: 'ok' }))
    .get('/ready', routes.ready, async (ctx) => {
      const codes = await readiness();
      if (codes.length === 0) return { status: 'ready' };
      ctx.status = 503;
      return { status: 'not_ready', reasons: codes.map((code) => ({ code, message: NOT_READY[code] })) };
    })
    .routes();
