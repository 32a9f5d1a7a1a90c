import type { Schemas } from '#lib/api/client.ts';
import { counted, exact } from '#lib/format/numbers.ts';
import type { Attention } from './attention.ts';

/** So far behind, the request log and the figures are visibly old. */
const MUCH_BEHIND = 10_000;
/** So many wait only when they do not get through. */
const MUCH_WAITING = 10_000;

/** What is wrong with this node or with the stores behind it, and what there is to do. */
export function serviceTrouble({ events, outbox, read_models: readModels }: Schemas['Status']): Attention[] {
  const all: (Attention | false)[] = [
    outbox?.is_full === true && {
      tone: 'bad',
      text: 'New model requests are refused: the outbox is full',
      detail: `${counted(outbox.pending, 'event')} wait for EventStoreDB. Bring it back, or start this node with a higher SVC_OUTBOX_MAX_EVENTS`,
      at: null,
      action: null,
    },
    events.cut_off_since !== null && {
      tone: 'bad',
      text: 'EventStoreDB does not answer',
      detail:
        'Model requests and sign-in go on, changes are refused until it is back. See that it runs and that this node reaches it',
      at: { words: 'last heard', time: events.cut_off_since, as: 'ago' },
      action: null,
    },
    isWaiting(outbox) && {
      tone: 'warn',
      text: `${counted(outbox.pending, 'event')} wait for EventStoreDB`,
      detail: `They are safe in the data folder. ${outbox.trouble ?? 'Writing to it is slower than what happens here'}`,
      at: null,
      action: null,
    },
    readModels.trouble !== null && {
      tone: 'bad',
      text: readModels.store === 'mongodb' ? 'MongoDB cannot be asked' : 'The read models cannot be asked',
      detail: `Requests are served and changes hold; request log, history and figures are missing until it is back. ${readModels.trouble}`,
      at: null,
      action: null,
    },
    (readModels.behind ?? 0) >= MUCH_BEHIND && {
      tone: 'warn',
      text: 'Request log and figures are not up to date',
      detail: `${exact(readModels.behind ?? 0)} events behind; they catch up by themselves`,
      at: null,
      action: null,
    },
  ];
  return all.filter((item): item is Attention => item !== false);
}

/** Something holds them back that the other lines do not say. */
const isWaiting = (outbox: Schemas['Status']['outbox']): outbox is NonNullable<Schemas['Status']['outbox']> =>
  outbox !== null && !outbox.is_full && (outbox.trouble !== null || outbox.pending >= MUCH_WAITING);
