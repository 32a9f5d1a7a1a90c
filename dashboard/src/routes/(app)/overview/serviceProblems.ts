import type { Schemas } from '#lib/api/client.ts';
import { counted, exact } from '#lib/format/numbers.ts';
import type { AttentionItem } from './attention.ts';

/** Events; from this lag on, request log and charts are visibly outdated. */
const MAX_LAG = 10_000;
/** Events; the outbox holds this many only when draining fails or is slow. */
const MAX_PENDING = 10_000;

/** Problems of this node and its stores, with what to do about them. */
export function serviceProblems({ events, outbox, read_models: readModels }: Schemas['Status']): AttentionItem[] {
  const all: (AttentionItem | false)[] = [
    outbox?.is_full === true && {
      tone: 'bad',
      text: 'New model requests are refused: the outbox is full',
      detail: `${counted(outbox.pending, 'event')} wait for EventStoreDB. Restore it, or restart this node with a higher SVC_OUTBOX_MAX_EVENTS`,
      at: null,
      action: null,
    },
    events.cut_off_since !== null && {
      tone: 'bad',
      text: 'EventStoreDB does not respond',
      detail:
        'Model requests and sign-in continue; changes are refused until it is back. Check that it runs and that this node can reach it',
      at: { label: 'last response', time: events.cut_off_since, as: 'ago' },
      action: null,
    },
    (outbox?.parked ?? 0) > 0 && {
      tone: 'warn',
      text: `EventStoreDB refuses ${counted(outbox?.parked ?? 0, 'event')} for good`,
      detail: `They are kept in the data folder of this node; svc outbox list names them. ${outbox?.parked_events[0]?.reason ?? ''}`,
      at: null,
      action: null,
    },
    isBackedUp(outbox) && {
      tone: 'warn',
      text: `${counted(outbox.pending, 'event')} wait for EventStoreDB`,
      detail: `They are stored safely in the data folder. ${outbox.trouble ?? 'EventStoreDB is slower than this node writes'}`,
      at: null,
      action: null,
    },
    readModels.trouble !== null && {
      tone: 'bad',
      text: readModels.store === 'mongodb' ? 'MongoDB does not respond' : 'The read models are unavailable',
      detail: `Requests and changes continue. Request log, history and charts are unavailable until it is back. ${readModels.trouble}`,
      at: null,
      action: null,
    },
    (readModels.behind ?? 0) >= MAX_LAG && {
      tone: 'warn',
      text: 'Request log and charts are not up to date',
      detail: `${exact(readModels.behind ?? 0)} events behind. They catch up automatically`,
      at: null,
      action: null,
    },
  ];
  return all.filter((item): item is AttentionItem => item !== false);
}

/** Whether events back up for a reason that the other items do not name. */
const isBackedUp = (outbox: Schemas['Status']['outbox']): outbox is NonNullable<Schemas['Status']['outbox']> =>
  outbox !== null && !outbox.is_full && (outbox.trouble !== null || outbox.pending >= MAX_PENDING);
