import { z } from 'zod';
import { type Instant, iso } from '../../domain/core/brands.ts';
import type { ProgressQueries } from '../../readModels/progressQueries.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';

/** What only this node knows of itself and of the stores behind it. */
export interface NodeStatus {
  readonly node: string;
  readonly events: 'embedded' | 'eventstore';
  /** Since when this node hears nothing from the store of events. */
  readonly cutOffSince: Instant | undefined;
  /** What waits in the data folder for the store of events; undefined where nothing can. */
  readonly outbox:
    | { readonly pending: number; readonly isFull: boolean; readonly trouble: string | undefined }
    | undefined;
  readonly readModels: 'embedded' | 'mongodb';
  /** Work that one node does for all. */
  readonly soleWorks: readonly {
    readonly name: string;
    readonly holder: string | undefined;
    readonly isHere: boolean;
  }[];
}

export interface StatusOptions {
  readonly hot: HotRunner;
  readonly nodeStatus: () => NodeStatus;
  readonly progress: ProgressQueries;
}

const StatusAnswer = z
  .object({
    node: z.string().describe('SVC_NODE_ID'),
    events: z.object({
      store: z.enum(['embedded', 'eventstore']),
      position: z.int().describe('The last event that this node knows'),
      cut_off_since: z.iso.datetime().nullable().describe('Since when this node hears nothing from the store'),
    }),
    outbox: z
      .object({
        pending: z.int().describe('Events that are durable here and not confirmed by EventStoreDB yet'),
        is_full: z.boolean().describe('Whether new model requests are refused'),
        trouble: z.string().nullable().describe('What holds them back'),
      })
      .nullable()
      .describe('null with the embedded store'),
    read_models: z.object({
      store: z.enum(['embedded', 'mongodb']),
      position: z.int().nullable().describe('The last event that they hold; null when they cannot be asked'),
      behind: z.int().nullable().describe('Events of this node that they do not hold'),
      trouble: z.string().nullable(),
    }),
    sole_work: z
      .array(
        z.object({
          name: z.string().describe('`polling` of the provider; `read-models` in MongoDB'),
          node: z.string().nullable().describe('Which node does it, as far as this one knows'),
          is_here: z.boolean(),
        }),
      )
      .describe('What one node does for all'),
  })
  .meta({ id: 'Status' });

const show = documented({ summary: 'How this node and the stores behind it are', answer: StatusAnswer });

/** For whoever operates the service; pages of the dashboard answer the same questions with 503 instead. */
export const statusRoutes = ({ hot, nodeStatus, progress }: StatusOptions) =>
  newRouter('/api/status')
    .get('/', show, async () => {
      const { node, events, cutOffSince, outbox, readModels, soleWorks } = nodeStatus();
      const { position } = hot.state;
      const reached = await progress.reached(position).catch((error: Error) => error);
      const isKnown = typeof reached === 'number';
      return {
        node,
        events: { store: events, position, cut_off_since: cutOffSince === undefined ? null : iso(cutOffSince) },
        outbox: outbox ? { pending: outbox.pending, is_full: outbox.isFull, trouble: outbox.trouble ?? null } : null,
        read_models: {
          store: readModels,
          position: isKnown ? reached : null,
          behind: isKnown ? Math.max(0, position - reached) : null,
          trouble: isKnown ? null : reached.message,
        },
        sole_work: soleWorks.map(({ name, holder, isHere }) => ({ name, node: holder ?? null, is_here: isHere })),
      };
    })
    .routes();
