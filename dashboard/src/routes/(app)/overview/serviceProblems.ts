import type { Schemas } from '#lib/api/client.ts';
import { counted, exact } from '#lib/format/numbers.ts';
import type { AttentionItem } from './attention.ts';

/** Events; from this lag on, request log and charts are visibly outdated. */
const MAX_LAG = 10_000;
/** Events; the outbox holds this many only when draining fails or is slow. */
const MAX_PENDING = 10_000;

/** Problems of this node and its stores, with what to do about them. */
export function serviceProblems({
  events,
  outbox,
  read_models: readModels,
  problems,
}: Schemas['Status']): AttentionItem[] {
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
  return [
    ...all.filter((item): item is AttentionItem => item !== false),
    ...accessProblems(problems),
    ...clockProblems(problems),
  ];
}

/** Other machines reach this node, and nothing restricts who may send model requests. */
const accessProblems = (problems: Schemas['Status']['problems']): AttentionItem[] =>
  problems
    .filter(({ code }) => code === 'remote_access_disabled')
    .map(({ cause, remedy }) => ({
      tone: 'warn',
      text: 'Model requests from other machines are refused',
      detail: `${cause} ${remedy}`,
      at: null,
      action: { label: 'Require API keys', href: '/settings' },
    }));

const CLOCK_TEXTS: Readonly<Record<string, { readonly text: string; readonly isAcceptable: boolean }>> = {
  clock_behind_limits: { text: 'Limits are ahead of the clock', isAcceptable: true },
  clock_held: { text: 'Limits do not follow the clock of this node', isAcceptable: true },
  clock_jumped: { text: 'The clock of this node jumped', isAcceptable: false },
  clock_of_node_differs: { text: 'The clock of another node is wrong', isAcceptable: false },
};

/** Clocks that are or were wrong. */
const clockProblems = (problems: Schemas['Status']['problems']): AttentionItem[] =>
  problems.flatMap(({ code, subject, cause, remedy }): AttentionItem[] => {
    const known = CLOCK_TEXTS[code];
    if (!known) return [];
    return [
      {
        tone: 'warn',
        text: subject === null ? known.text : `${known.text}: ${subject}`,
        detail: `${cause} ${remedy}`,
        at: null,
        action: known.isAcceptable ? { label: 'Accept clock', command: 'acceptClock' } : null,
      },
    ];
  });

/** Whether events back up for a reason that the other items do not name. */
const isBackedUp = (outbox: Schemas['Status']['outbox']): outbox is NonNullable<Schemas['Status']['outbox']> =>
  outbox !== null && !outbox.is_full && (outbox.trouble !== null || outbox.pending >= MAX_PENDING);
