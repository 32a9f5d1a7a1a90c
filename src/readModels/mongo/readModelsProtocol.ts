import type { Position } from '../../domain/core/brands.ts';
import type { ReadModelPorts } from '../readModels.ts';

/** What the worker is started with. */
export interface WorkerOptions {
  readonly url: string;
  readonly fencedBy: string;
  readonly logPath: string;
  readonly isCopy: boolean;
}

/** To the worker. */
export type ToWorker =
  | { readonly kind: 'news' }
  | {
      readonly kind: 'query';
      readonly id: number;
      readonly port: keyof ReadModelPorts;
      readonly name: string;
      readonly args: readonly unknown[];
      readonly minPosition: Position;
    }
  | { readonly kind: 'tenure'; readonly id: number; readonly epoch: number }
  | { readonly kind: 'tenureOver'; readonly id: number }
  | { readonly kind: 'close' };

/** From the worker: `newsTaken` asks for the next news, `projected` ends a tenure. */
export type FromWorker =
  | { readonly kind: 'newsTaken' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly trouble: string }
  | { readonly kind: 'projected'; readonly id: number }
  | { readonly kind: 'say'; readonly line: string };
