import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';
import { instantSchema, positionSchema } from '../core/schemas.ts';

/** Why a node stopped: a signal of the operating system, the program that had started it, or a failure of its own. */
export const stopReasonSchema = schema((z) =>
  z.object({
    reason: z.enum(['signal', 'command', 'failure']),
    /** The name of the signal, or the error in a sentence; null when there is nothing to add. */
    detail: z.string().nullable(),
  }),
);
export type StopReason = Infer<typeof stopReasonSchema>;

/** Longer details are cut: an event has a maximum size. */
export const MAX_DETAIL_LENGTH = 1_000;

const shownReason = ({ reason, detail }: StopReason) =>
  reason === 'failure' ? `after a failure: ${detail ?? 'unknown'}` : (detail ?? 'by a command');

/** A node began to serve requests. */
export const NodeStarted = event('NodeStarted', {
  version: 1,
  data: (z) =>
    z.object({
      node: z.string(),
      boot: z.string(),
      /** The version of svc. */
      version: z.string(),
      /** The start of this node before, as far as the log tells; null when it tells of none. */
      previous: z
        .object({
          boot: z.string(),
          /** Null when it has no `NodeStopped`: it was killed, its machine failed, or the event is lost. */
          stoppedAt: instantSchema(z).nullable(),
        })
        .nullable(),
    }),
  describe: ({ node, version, previous }) =>
    `node ${node} started with svc ${version}` +
    (previous && previous.stoppedAt === null ? '; its start before had ended without a stop' : ''),
});

/** A node stopped in order. It is the last event in all streams of this start of the node. */
export const NodeStopped = event('NodeStopped', {
  version: 1,
  data: (z) => stopReasonSchema(z).extend({ node: z.string(), boot: z.string() }),
  describe: ({ node, ...reason }) => `node ${node} stopped ${shownReason(reason)}`,
});

/** The log was verified through a running service, by an operator or by the service itself. */
export const VerificationMade = event('VerificationMade', {
  version: 1,
  data: (z) =>
    z.object({
      node: z.string(),
      /** First and last position that were asked for; `to` is the last one of the log at that moment if none was given. */
      from: positionSchema(z),
      to: positionSchema(z),
      /** Number of events that were read. */
      events: z.int().min(0),
      ok: z.boolean(),
      findings: z.int().min(0),
      /** The kinds of the findings, each once. */
      kinds: z.array(z.string()),
      /** Root of the Merkle tree over the positions 1 to `to`, 64 hex digits; null when it was not computed. */
      root: z.string().nullable(),
    }),
  describe: ({ from, to, events, ok, findings }) =>
    `positions ${from} to ${to} of the log were verified (${events} events): ` +
    (ok ? 'intact' : `${findings} ${findings === 1 ? 'finding' : 'findings'}`),
});

/** What an evidence bundle was asked to contain; absent fields select nothing by themselves. */
export const evidenceFilterSchema = schema((z) =>
  z.object({
    since: instantSchema(z).optional(),
    until: instantSchema(z).optional(),
    requestId: z.string().optional(),
    subject: z.string().optional(),
    incident: z.string().optional(),
    types: z.array(z.string()).optional(),
    actors: z.array(z.string()).optional(),
    search: z.string().optional(),
  }),
);
export type EvidenceFilter = Infer<typeof evidenceFilterSchema>;

/** An evidence bundle was made through a running service. */
export const EvidenceMade = event('EvidenceMade', {
  version: 1,
  data: (z) =>
    z.object({
      node: z.string(),
      filter: evidenceFilterSchema(z),
      /** Number of events in the bundle. */
      events: z.int().min(0),
      /** Number of events in the Merkle tree that it proves them against, and its root, 64 hex digits. */
      treeSize: z.int().min(0),
      root: z.string(),
      /** Size of the bundle, and SHA-256 of all its bytes as 64 hex digits. */
      bytes: z.int().min(0),
      sha256: z.string(),
    }),
  describe: ({ events, treeSize, filter }) =>
    `evidence of ${events} ${events === 1 ? 'event' : 'events'} was made (${shownFilter(filter)}), proved against a tree of ${treeSize}`,
});

const shownFilter = ({ since, until, requestId, subject, incident, types, actors, search }: EvidenceFilter): string =>
  [
    requestId !== undefined && `request ${requestId}`,
    subject !== undefined && `subject ${subject}`,
    types !== undefined && `types ${types.join(', ')}`,
    actors !== undefined && `actors ${actors.join(', ')}`,
    search !== undefined && `with the text ${search}`,
    incident !== undefined && `incident: ${incident}`,
    since !== undefined && `since ${new Date(since).toISOString()}`,
    until !== undefined && `until ${new Date(until).toISOString()}`,
  ]
    .filter((part) => part !== false)
    .join(', ') || 'the whole log';

/** Which requests of the request log were exported; absent fields leave out none. */
export const exportFilterSchema = schema((z) => {
  const values = z.array(z.string()).optional();
  return z.object({
    since: instantSchema(z).optional(),
    until: instantSchema(z).optional(),
    search: z.string().optional(),
    statuses: values,
    accountIds: values,
    attemptedAccountIds: values,
    models: values,
    /** Reasoning efforts; the empty text stands for requests without one. */
    efforts: values,
    /** `<model>:::<effort>` */
    modelOptions: values,
  });
});
export type ExportFilter = Infer<typeof exportFilterSchema>;

/** Requests were exported from the request log through a running service. Recorded before the first of them is read. */
export const RequestsExported = event('RequestsExported', {
  version: 1,
  data: (z) =>
    z.object({
      node: z.string(),
      format: z.enum(['csv', 'json']),
      filter: exportFilterSchema(z),
      /** Number of requests that the filter matched at that moment, of which a file has the newest 100,000. */
      matching: z.int().min(0),
    }),
  describe: ({ format, filter, matching }) =>
    `${matching} ${matching === 1 ? 'request' : 'requests'} of the request log ${matching === 1 ? 'was' : 'were'} exported as ` +
    `${format.toUpperCase()} (${shownExportFilter(filter)})`,
});

const shownExportFilter = (filter: ExportFilter): string => {
  const { since, until, search } = filter;
  const list = (name: string, values: readonly string[] | undefined) =>
    values !== undefined && `${name} ${values.map((value) => value || 'none').join(', ')}`;
  return (
    [
      list('status', filter.statuses),
      list('account', filter.accountIds),
      list('attempted account', filter.attemptedAccountIds),
      list('model', filter.models),
      list('effort', filter.efforts),
      list('model and effort', filter.modelOptions),
      search !== undefined && `with the text ${search}`,
      since !== undefined && `since ${new Date(since).toISOString()}`,
      until !== undefined && `until ${new Date(until).toISOString()}`,
    ]
      .filter((part) => part !== false)
      .join('; ') || 'without a filter'
  );
};

export type NodeEvent = EventOf<typeof NodeStarted | typeof NodeStopped>;

/** Who sent some requests can no longer be read: their data keys were destroyed before this. */
export const CallersForgotten = event('CallersForgotten', {
  version: 2,
  data: (z) =>
    z.object({
      node: z.string(),
      /** Months of UTC, such as `2026-11`, of the requests without an API key. */
      months: z.array(z.string()),
      /** Ids of deleted API keys; absent in version 1. */
      keys: z.array(z.string()).optional(),
    }),
  describe: ({ months, keys = [] }) =>
    [
      months.length > 0 &&
        `addresses and user agents of requests without an API key were forgotten, of ${listed(months, 'month')}`,
      keys.length > 0 &&
        `addresses and user agents of requests of deleted API keys were forgotten, of ${listed(keys, 'key')}`,
    ]
      .filter((part) => part !== false)
      .join('; '),
  upcasters: [(data) => data],
});

const listed = (names: readonly string[], noun: string): string =>
  `the ${noun}${names.length === 1 ? '' : 's'} ${names.join(', ')}`;

export type AuditEvent =
  | NodeEvent
  | EventOf<typeof VerificationMade | typeof EvidenceMade | typeof RequestsExported | typeof CallersForgotten>;
