import type { Collection } from 'mongodb';
import { type Position, position } from '../../domain/core/brands.ts';
import { type Cut, cutBetween, spanOf } from '../cut.ts';
import type { SpanDocument, SpanSeries } from './documents.ts';

/** Adds a row to the spans of a batch, by the id of the document to change. */
export function addToSpans(spans: Map<string, SpanDocument>, series: SpanSeries, at: number, time: number): void {
  const span = spanOf(at);
  const _id = `${series} ${span}`;
  const known = spans.get(_id);
  const [earliest, latest] = [Math.min(known?.earliest ?? time, time), Math.max(known?.latest ?? time, time)];
  spans.set(_id, { _id, series, span, earliest, latest });
}

/** Widens the stored spans; doing it again changes nothing. */
export async function writeSpans(collection: Collection<SpanDocument>, spans: Iterable<SpanDocument>): Promise<void> {
  for (const { _id, series, span, earliest, latest } of spans) {
    const change = { $setOnInsert: { series, span }, $min: { earliest }, $max: { latest } };
    await collection.updateOne({ _id }, change, { upsert: true });
  }
}

/** Each round needs a row that arrived before all later ones that are known. */
const MAX_ROUNDS = 10;

/** All spans in memory: one for each 256 positions. */
export class RowSpans {
  readonly #collection: Collection<SpanDocument>;
  readonly #all = new Map<string, SpanDocument>();
  #loadedUpTo: Position = position(0);

  constructor(collection: Collection<SpanDocument>) {
    this.#collection = collection;
  }

  /**
   * Runs a query as of a position; of all rows for null. While it runs, a batch may add later rows to the sums: then it runs
   * again, and leaves them out.
   * @param head position that the read models reach
   */
  async runAt<Result>(
    series: SpanSeries,
    asOf: Position | null,
    head: Position,
    query: (cut: Cut | undefined) => Promise<Result>,
  ): Promise<Result> {
    if (asOf === null) return query(undefined);
    let cut = await this.#cutAt(series, asOf, head);
    for (let round = 1; ; round++) {
      const result = await query(cut);
      const after = await this.#cutAt(series, asOf, head);
      if (after.from === cut.from) return result;
      if (round === MAX_ROUNDS) throw new Error('requests of other times keep being added');
      cut = after;
    }
  }

  async #cutAt(series: SpanSeries, asOf: Position, head: Position): Promise<Cut> {
    // The last one may have grown, and a batch that is being written may have added others.
    const changed = await this.#collection.find({ span: { $gte: spanOf(this.#loadedUpTo) } }).toArray();
    for (const document of changed) this.#all.set(document._id, document);
    this.#loadedUpTo = position(Math.max(head, this.#loadedUpTo));
    const own = spanOf(asOf);
    let [earliest, latest]: (number | null)[] = [null, null];
    for (const span of this.#all.values()) {
      if (span.series !== series) continue;
      if (span.span >= own) earliest = Math.min(earliest ?? span.earliest, span.earliest);
      if (span.span <= own) latest = Math.max(latest ?? span.latest, span.latest);
    }
    return cutBetween(asOf, earliest ?? null, latest ?? null);
  }
}
