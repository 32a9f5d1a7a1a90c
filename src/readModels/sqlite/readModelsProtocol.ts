import type { Position } from '../../domain/core/brands.ts';
import type { ReadModelPorts } from '../readModels.ts';

/** What the worker is started with. */
export interface WorkerOptions {
  readonly path: string;
  readonly logPath: string;
}

export interface Query {
  readonly kind: 'query';
  readonly id: number;
  readonly port: keyof ReadModelPorts;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly minPosition: Position;
}

/** To the worker: the log holds something new; answer a query; stop. */
export type ToWorker = { readonly kind: 'news' } | Query | { readonly kind: 'close' };

/** From the worker: how far it is after news, and why no further; an answer; a query that failed. */
export type FromWorker =
  | { readonly kind: 'caughtUp'; readonly position: Position; readonly trouble: string | undefined }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly trouble: string };
