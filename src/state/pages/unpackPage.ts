import { type AccountId, type ApiKeyId, instant, microDollars, position } from '../../domain/core/brands.ts';
import { type Page, toRecordedEvent } from '../../eventLog/sqlite/reader.ts';
import type { FoldedEvent, FoldedRequest } from '../fold/foldedEvent.ts';
import { ABSENT, COLUMN_COUNT, Column, type PackedPage } from './packPage.ts';
import type { PageLinks } from './pageLinker.ts';

/** Creates the events of a page when the fold reaches it: until then a page consists of a few objects. */
export type LazyPage = () => LinkedPage;

/** A page, and how its events continue each other where this is checked. */
export type LinkedPage = Page<FoldedEvent> & { readonly links?: PageLinks };

/** Texts of all pages of a fold. One object for equal texts makes look-ups by them cheap, whichever thread packed them. */
export type TextPool = Map<string, string>;

/** Unpacks the pages of one `PagePacker`, in the order in which they were packed. */
export class PageUnpacker {
  readonly #pool: TextPool;
  #texts: string[] = [];

  constructor(pool: TextPool = new Map()) {
    this.#pool = pool;
  }

  open(page: PackedPage): LazyPage {
    if (page.resetsTexts) {
      // A new list, because pages that were opened before still refer to the old one.
      this.#texts = [];
      this.#pool.clear();
    }
    for (const text of page.texts) this.#texts.push(this.#pooled(text));
    const texts = this.#texts;
    return () => ({ ...eventsOf(page, texts), ...(page.links && { links: page.links }) });
  }

  #pooled(text: string): string {
    const known = this.#pool.get(text);
    if (known !== undefined) return known;
    // Short texts that are parsed here are of the kind of literals for V8; code that has seen one kind is compiled again when
    // it sees another, as in a message of a thread.
    const parsed = JSON.parse(`"${text}"`) as string;
    this.#pool.set(parsed, parsed);
    return parsed;
  }
}

/** Events in order, up to the first one that this build cannot read. */
function eventsOf(
  { numbers, requests, requestIds, attempts, others }: PackedPage,
  texts: readonly string[],
): Page<FoldedEvent> {
  const ids = requestIds.split('\n');
  const events: FoldedEvent[] = [];
  let next = 0;
  const pushOthersBefore = (before: number): void => {
    for (let row = others[next]; row !== undefined && row[0] < before; row = others[++next]) {
      events.push(toRecordedEvent(row));
    }
  };
  try {
    for (let request = 0; request < requests; request += 1) {
      const at = request * COLUMN_COUNT;
      const requestPosition = position(numbers[at + Column.position] as number);
      pushOthersBefore(requestPosition);
      events.push({
        type: 'RequestCompleted',
        data: requestAt(at, ids[request] as string, attemptsIn(attempts.get(request)), numbers, texts),
        position: requestPosition,
        time: instant(numbers[at + Column.time] as number),
      });
    }
    pushOthersBefore(Number.POSITIVE_INFINITY);
    return { events };
  } catch (error) {
    return { events, failure: error as Error };
  }
}

const NO_ATTEMPTS: FoldedRequest['attempts'] = [];

const attemptsIn = (json: string | undefined): FoldedRequest['attempts'] =>
  json === undefined ? NO_ATTEMPTS : (JSON.parse(`{${json}}`) as Pick<FoldedRequest, 'attempts'>).attempts;

function requestAt(
  at: number,
  requestId: string,
  attempts: FoldedRequest['attempts'],
  numbers: Float64Array,
  texts: readonly string[],
): FoldedRequest {
  const number = (column: number) => numbers[at + column] as number;
  const [inputTokens, cost] = [number(Column.inputTokens), number(Column.costMicroDollars)];
  const [keyId, accountId, digest] = [number(Column.keyId), number(Column.accountId), number(Column.digest)];
  const [owner, team] = [number(Column.owner), number(Column.team)];
  const announcements = number(Column.announcements);
  const [countedAt, v] = [instant(number(Column.countedAt)), number(Column.v)];
  return {
    requestId,
    keyId: keyId === ABSENT ? null : (texts[keyId] as ApiKeyId),
    model: texts[number(Column.model)] as string,
    requestedAt: countedAt,
    owner: owner === ABSENT ? undefined : texts[owner],
    team: team === ABSENT ? undefined : texts[team],
    admission: v === ABSENT ? undefined : { decidedAt: position(number(Column.decidedAt)), asOf: countedAt, v },
    announcements: announcements === ABSENT ? undefined : announcements,
    status: texts[number(Column.status)] as string,
    accountId: accountId === ABSENT ? null : (texts[accountId] as AccountId),
    usage: inputTokens === ABSENT ? null : { inputTokens, outputTokens: number(Column.outputTokens) },
    costMicroDollars: cost === ABSENT ? null : microDollars(cost),
    pin:
      digest === ABSENT ? undefined : { digest: texts[digest] as string, isFallback: number(Column.isFallback) === 1 },
    attempts,
  };
}
