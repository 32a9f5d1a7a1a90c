import { z } from 'zod';
import { type ExportFilter, RequestsExported } from '../../domain/audit/events.ts';
import { instant } from '../../domain/core/brands.ts';
import type { RequestLogFilter } from '../../readModels/requestLogQueries.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { READERS } from '../http/roles.ts';
import { modelOptionOf } from './requestLogs.ts';

const MAX_VALUES = 50;
const values = z.array(z.string().max(200)).min(1).max(MAX_VALUES).optional();
const time = z.iso.datetime({ offset: true }).optional();

const Export = wireObject({
  format: z.enum(['csv', 'json']),
  status: values,
  accountId: values,
  attemptedAccountId: values,
  model: values,
  reasoningEffort: values.describe('An empty text selects requests without an effort'),
  modelOption: values.describe('<model>:::<reasoning_effort>'),
  search: z.string().min(1).max(200).optional(),
  since: time,
  until: time,
});

const routes = {
  make: describeRoute({
    roles: READERS,
    isIrreversible: true,
    summary: 'Record that requests are exported, before they are read page by page from /api/request-logs',
    body: Export,
    response: z.object({ matching: z.int().describe('Number of requests that the filter matches now') }),
    errors: ['validation_error', 'read_models_unavailable'],
  }),
};

/** Records that requests are exported. Durable when it resolves. */
export type RecordExport = (event: ReturnType<typeof RequestsExported>, cause: Cause) => Promise<void>;

export interface RequestExportOptions extends Pick<Capabilities, 'views' | 'queries'> {
  readonly recordExport: RecordExport;
  readonly node: { readonly name: string };
}

/** Exports of the request log, which the dashboard makes: each is an event with its actor (docs/integrity.md#audit-events). */
export const requestExportRoutes = ({ views, queries, recordExport, node }: RequestExportOptions) =>
  newRouter('/api/request-logs/exports')
    .post('/', routes.make, async (ctx) => {
      const { format, ...conditions } = await readBody(ctx, Export, 'validation_error');
      const filter = filterOf(conditions);
      // The event sink records the export, so no command checks this.
      ctx.state.cause.authorize?.();
      const { total: matching } = await queries.requestLog.page(queryOf(filter), 1, 0, views.current.position);
      await recordExport(RequestsExported({ node: node.name, format, filter, matching }), ctx.state.cause);
      return { matching };
    })
    .routes();

type Conditions = Omit<z.infer<typeof Export>, 'format'>;

const filterOf = (conditions: Conditions): ExportFilter =>
  defined({
    since: conditions.since === undefined ? undefined : instant(Date.parse(conditions.since)),
    until: conditions.until === undefined ? undefined : instant(Date.parse(conditions.until)),
    search: conditions.search,
    statuses: conditions.status,
    accountIds: conditions.accountId,
    attemptedAccountIds: conditions.attemptedAccountId,
    models: conditions.model,
    efforts: conditions.reasoningEffort,
    modelOptions: conditions.modelOption,
  });

const queryOf = ({ efforts, modelOptions, ...filter }: ExportFilter): RequestLogFilter =>
  defined({
    ...filter,
    efforts: efforts?.map((effort) => effort || null),
    modelOptions: modelOptions?.map(modelOptionOf),
  });

type Defined<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
