import type { Position } from '../../domain/brands.ts';
import type { RequestLogFilter, RequestLogPage } from '../requestLogQueries.ts';

/** What the worker is started with. */
export interface WorkerOptions {
  readonly path: string;
  readonly logPath: string;
}

export interface PageRequest {
  readonly kind: 'page';
  readonly id: number;
  readonly filter: RequestLogFilter;
  readonly limit: number;
  readonly offset: number;
  readonly minPosition: Position;
}

/** To the worker: the log holds something new; answer a query; stop. */
export type ToWorker = { readonly kind: 'news' } | PageRequest | { readonly kind: 'close' };

/** From the worker: how far it is after news, and why no further; an answer; a query that failed. */
export type FromWorker =
  | { readonly kind: 'caughtUp'; readonly position: Position; readonly trouble: string | undefined }
  | { readonly kind: 'page'; readonly id: number; readonly page: RequestLogPage }
  | { readonly kind: 'failed'; readonly id: number; readonly trouble: string };
