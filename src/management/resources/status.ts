import { z } from 'zod';
import { type Instant, instant, iso } from '../../domain/core/brands.ts';
import { type LimitedLevel, type LimitHolder, limitLevels } from '../../domain/limits/limitLevel.ts';
import type { CurrentFault } from '../../lib/faults.ts';
import { type SinkStatus, sinkFormats, sinkKinds } from '../../sinks/sink.ts';
import { allLevels } from '../../state/fold/limitLevels.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { READERS } from '../http/roles.ts';
import type { View } from '../http/views.ts';
import { reservedFields } from './limits/reservedFields.ts';
import { WebsocketNumbers, type WebsocketStatus, websocketNumbers } from './status/websocketNumbers.ts';

const StoreStatus = z
  .object({
    node: z.string().describe('SVC_NODE_ID'),
    nodes: z.array(z.string()).describe('The live nodes that share the event store and the limits, this one first'),
    events: z.object({
      store: z.enum(['embedded', 'eventstore']),
      position: z.int().describe('Position of the last event that this node knows'),
      cut_off_since: z.iso.datetime().nullable().describe('Since when this node has had no contact with the store'),
    }),
    outbox: z
      .object({
        pending: z.int().describe('Events that are stored on this node and not yet confirmed by EventStoreDB'),
        parked: z.int().describe('Events that EventStoreDB will never take, kept on this node (`svc outbox list`)'),
        parked_events: z
          .array(
            z.object({
              id: z.string().describe('Event id'),
              type: z.string(),
              stream: z.string(),
              bytes: z.int().describe('Of its data and metadata'),
              parked_at: z.iso.datetime(),
              reason: z.string().describe('Why EventStoreDB does not take it'),
            }),
          )
          .describe('The first of them'),
        is_full: z.boolean().describe('Whether new model requests are refused'),
        trouble: z.string().nullable().describe('Why the events cannot be delivered'),
      })
      .nullable()
      .describe('null with the embedded store'),
    read_models: z.object({
      store: z.enum(['embedded', 'mongodb']),
      position: z.int().nullable().describe('Position of the last event they include; null while unavailable'),
      behind: z.int().nullable().describe('Number of events known to this node that they do not include'),
      trouble: z.string().nullable().describe('Why they are unavailable'),
    }),
    sinks: z
      .array(
        z.object({
          kind: z.enum(sinkKinds),
          target: z.string().describe('The path, or the URL without its secrets'),
          format: z.enum(sinkFormats),
          fail_closed: z.boolean().describe('Whether model requests and changes wait while it takes no events'),
          position: z.int().describe('Position of the last event that it took'),
          behind: z.int().describe('Number of events known to this node that it did not take yet'),
          delivered_at: z.iso.datetime().nullable(),
          failure: z.string().nullable().describe('Why it takes no events at the moment'),
        }),
      )
      .optional()
      .describe('Places that get every event; absent where there are none'),
    websockets: WebsocketNumbers.optional().describe(
      'Websockets of clients on this node; absent until a client has asked for one',
    ),
    sole_work: z
      .array(
        z.object({
          name: z
            .string()
            .describe('`polling` of the provider, `alerts`, `checkpoints`, `sinks`, or `read-models` in MongoDB'),
          node: z.string().nullable().describe('The leader, as far as this node knows'),
          is_here: z.boolean().describe('Whether this node is the leader'),
        }),
      )
      .describe('Tasks that one leader performs for all nodes'),
    reservations: z
      .object({
        requests: z.int().describe('Open requests of this node that reserve on limits'),
        limits: z
          .array(
            z.object({
              level: z.enum(limitLevels).describe('Where the limit stands'),
              subject: z.string().describe('The id of the key, the owner, or the id of the team'),
              key_id: z.string().nullable().describe('The id of the key; null for other levels'),
              limit_id: z.int(),
              reserved_value: z.int(),
              reserved_cost_usd: z.number().optional(),
            }),
          )
          .describe('What counts on this node in addition to `current_value`. The first 100 limits'),
      })
      .describe('What this node takes for reserved, also by requests that the log does not have (yet)'),
    opened_bundle: z
      .string()
      .nullable()
      .describe('The evidence bundle that is shown, whose events cannot be changed; null for a service'),
    problems: z
      .array(
        z.object({
          code: z.string().describe('What is wrong, as a name that never changes'),
          subject: z.string().nullable().describe('Which one of several, for example a stream or a node'),
          since: z.iso.datetime().describe('When this node noticed it'),
          cause: z.string().describe('What happened and what it costs'),
          remedy: z.string().describe('What to do'),
        }),
      )
      .describe('What is wrong on this node at the moment, oldest first'),
  })
  .meta({ id: 'Status' });

const routes = {
  get: describeRoute({
    roles: READERS,
    at: { none: 'it shows what this node knows beyond the log, about itself and its stores' },
    summary: 'Get the status of this node and of its stores',
    response: StoreStatus,
  }),
};

/** The status of a node and of its stores. */
export interface NodeStatus {
  /** The file name of an opened evidence bundle; absent for a service. */
  readonly bundle?: string;
  readonly node: string;
  /** The live nodes that share the event store, this one first. */
  readonly nodes: readonly string[];
  readonly events: 'embedded' | 'eventstore';
  /** Since when the node has had no contact with the event store. */
  readonly cutOffSince: Instant | undefined;
  /** Events waiting for delivery to the event store; undefined with the embedded store. */
  readonly outbox:
    | {
        readonly pending: number;
        /** Number of events that the event store will never take. */
        readonly parked: number;
        readonly firstParked: readonly {
          readonly id: string;
          readonly type: string;
          readonly stream: string;
          readonly bytes: number;
          /** Milliseconds since 1970. */
          readonly parkedAt: number;
          readonly reason: string;
        }[];
        readonly isFull: boolean;
        readonly blockedReason: string | undefined;
      }
    | undefined;
  readonly readModels: 'embedded' | 'mongodb';
  /** Tasks that one leader performs for all nodes. */
  readonly leaderTasks: readonly {
    readonly name: string;
    readonly holder: string | undefined;
    readonly isHere: boolean;
  }[];
  readonly reservations: {
    /** Number of open requests of this node that reserve on limits, whether or not the log has them. */
    readonly requests: number;
    /** What counts in the window of a rule that contains `at` beyond its counter, in the unit of that. */
    readonly amountOn: (holder: LimitHolder, ruleId: number, at: Instant) => number;
  };
  /** Websockets of clients; undefined until one was asked for. */
  readonly websockets?: WebsocketStatus | undefined;
  /** Places that get every event. */
  readonly sinks?: readonly SinkStatus[];
  /** What is wrong at the moment. */
  readonly faults: readonly CurrentFault[];
}

interface StatusOptions extends Pick<Capabilities, 'views' | 'queries'> {
  readonly nodeStatus: () => NodeStatus;
}

/** Responds with 200 even while stores are unavailable, so that operators can see which one is. */
export const statusRoutes = ({ views, queries, nodeStatus }: StatusOptions) =>
  newRouter('/api/status')
    .get('/', routes.get, async () => {
      const status = nodeStatus();
      const { node, nodes, events, cutOffSince, outbox, readModels, leaderTasks, reservations, faults, bundle } =
        status;
      const view = views.currentView();
      const { position } = view.state;
      const limits = reservedLimits(view, reservations.amountOn);
      const reached = await queries.progress.reached(position).catch((error: Error) => error);
      const isAvailable = typeof reached === 'number';
      return {
        node,
        nodes: [...nodes],
        events: { store: events, position, cut_off_since: cutOffSince === undefined ? null : iso(cutOffSince) },
        outbox: outbox
          ? {
              pending: outbox.pending,
              parked: outbox.parked,
              parked_events: outbox.firstParked.map(({ id, type, stream, bytes, parkedAt, reason }) => ({
                id,
                type,
                stream,
                bytes,
                parked_at: iso(instant(parkedAt)),
                reason,
              })),
              is_full: outbox.isFull,
              trouble: outbox.blockedReason ?? null,
            }
          : null,
        read_models: {
          store: readModels,
          position: isAvailable ? reached : null,
          behind: isAvailable ? Math.max(0, position - reached) : null,
          trouble: isAvailable ? null : reached.message,
        },
        ...sinksIn(status, position),
        ...(status.websockets && { websockets: websocketNumbers(status.websockets) }),
        sole_work: leaderTasks.map(({ name, holder, isHere }) => ({ name, node: holder ?? null, is_here: isHere })),
        reservations: { requests: reservations.requests, limits },
        opened_bundle: bundle ?? null,
        problems: faults.map(({ code, subject, since, cause, remedy }) => ({
          code,
          subject: subject ?? null,
          since: iso(instant(since)),
          cause,
          remedy,
        })),
      };
    })
    .routes();

function sinksIn({ sinks = [] }: NodeStatus, head: number) {
  if (sinks.length === 0) return {};
  return {
    sinks: sinks.map(({ kind, target, format, isFailClosed, position, deliveredAt, failure }) => ({
      kind,
      target,
      format,
      fail_closed: isFailClosed,
      position,
      behind: Math.max(0, head - position),
      delivered_at: deliveredAt === null ? null : iso(instant(deliveredAt)),
      failure,
    })),
  };
}

const MAX_RESERVED_LIMITS = 100;

function reservedLimits({ state, windowsNow }: View, amountOn: NodeStatus['reservations']['amountOn']) {
  const ofLevel = ({ level, subject, holder, rules }: LimitedLevel) =>
    rules.flatMap((rule) => {
      const amount = amountOn(holder, rule.id, windowsNow);
      if (amount <= 0) return [];
      const key_id = level === 'key' ? subject : null;
      return [{ level, subject, key_id, limit_id: rule.id, ...reservedFields(rule, amount) }];
    });
  return allLevels(state).flatMap(ofLevel).take(MAX_RESERVED_LIMITS).toArray();
}
