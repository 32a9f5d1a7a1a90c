import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { type Cut, cutBetween, spanOf } from '../cut.ts';

/** Rows whose times are compared with positions: requests with counted refusals, and usage samples. */
export type SpanSeries = 'requests' | 'usage';

/** The times of rows by their positions, which say where earlier and later rows mix. */
export class RowSpans {
  readonly #upsert: StatementSync;
  readonly #select: StatementSync;
  #pending = new Map<
    string,
    { readonly series: SpanSeries; readonly span: number; earliest: number; latest: number }
  >();

  constructor(database: DatabaseSync) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS rowSpans (
        series TEXT NOT NULL,
        span INTEGER NOT NULL,
        earliest INTEGER NOT NULL,
        latest INTEGER NOT NULL,
        PRIMARY KEY (series, span)
      ) STRICT, WITHOUT ROWID`);
    this.#upsert = database.prepare(`
      INSERT INTO rowSpans VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET earliest = min(earliest, excluded.earliest), latest = max(latest, excluded.latest)`);
    this.#select = database.prepare(`
      SELECT MIN(earliest) FILTER (WHERE span >= ?2) AS earliest, MAX(latest) FILTER (WHERE span <= ?2) AS latest
      FROM rowSpans WHERE series = ?1`);
  }

  add(series: SpanSeries, at: Position, time: Instant): void {
    const span = spanOf(at);
    const key = `${series} ${span}`;
    const known = this.#pending.get(key);
    if (!known) {
      this.#pending.set(key, { series, span, earliest: time, latest: time });
      return;
    }
    known.earliest = Math.min(known.earliest, time);
    known.latest = Math.max(known.latest, time);
  }

  /** Writes what was added since the last flush, within the caller's transaction. */
  flush(): void {
    for (const { series, span, earliest, latest } of this.#pending.values()) {
      this.#upsert.run(series, span, earliest, latest);
    }
    this.#pending.clear();
  }

  /** Discards what was added since the last flush. */
  clear(): void {
    this.#pending.clear();
  }

  /** @param head position that the read models reach @returns undefined when all rows are included */
  cutAt(series: SpanSeries, asOf: Position | null, head: Position): Cut | undefined {
    if (asOf === null || asOf >= head) return undefined;
    const found = this.#select.get(series, spanOf(asOf)) as { earliest: number | null; latest: number | null };
    return cutBetween(asOf, found.earliest, found.latest);
  }
}
