import { api, unwrap } from '#lib/api/client.ts';
import { type Format, writersWith } from './exportFile.ts';
import type { FilterNames, LogConditions } from './logFilter.ts';

const PAGE = 1_000;
/** Spreadsheets open a file of this size, and a browser writes it within a minute. */
export const MAX_ROWS = 100_000;

export interface Exported {
  readonly file: Blob;
  readonly rows: number;
  /** Matching rows; exceeds `rows` when MAX_ROWS was reached. */
  readonly total: number;
}

/**
 * Exports the rows of a list as a file, page by page. Requests that arrive in the meantime are excluded, so that pages do
 * not shift. The service records the export before the first row is read.
 * @param onProgress called with the completed part, 0 to 1
 * @throws ApiError, or the abort reason of `signal`
 */
export async function exportRequests(
  conditions: LogConditions,
  format: Format,
  {
    signal,
    now,
    names,
    onProgress,
  }: { signal: AbortSignal; now: number; names: FilterNames; onProgress: (part: number) => void },
): Promise<Exported> {
  const filter = { until: new Date(now).toISOString(), ...conditions };
  await unwrap(api.POST('/api/request-logs/exports', { body: { format, ...filter }, signal }));
  const query = { ...filter, limit: PAGE };
  const { begin, rows: write, end, type } = writersWith(names)[format];
  const parts = [begin];
  const seen = new Set<string>();
  for (let offset = 0, total = 1; ; offset += PAGE) {
    const page = await unwrap(api.GET('/api/request-logs', { params: { query: { ...query, offset } }, signal }));
    signal.throwIfAborted();
    // A request that ends during the export is sorted by its arrival and shifts the rows after it.
    const fresh = page.requests.filter(({ request_id }) => !seen.has(request_id)).slice(0, MAX_ROWS - seen.size);
    parts.push(write(fresh, seen.size === 0));
    for (const { request_id } of fresh) seen.add(request_id);
    total = page.total;
    onProgress(Math.min(1, seen.size / Math.max(1, Math.min(total, MAX_ROWS))));
    if (!page.has_more || seen.size >= MAX_ROWS) {
      return { file: new Blob([...parts, end], { type }), rows: seen.size, total };
    }
  }
}
