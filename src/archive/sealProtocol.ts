import type { SegmentHeader } from '../eventLog/archive/segment.ts';
import type { RequestDay } from './closedDays.ts';

/** The messages between a service and the thread that seals a day for it. */
export interface SealThread {
  options: { readonly logPath: string; readonly folder: string };
  requests: {
    seal(day: RequestDay): { readonly header: SegmentHeader; readonly seal: string } | undefined;
  };
  reports: {
    progress(events: { readonly done: number; readonly of: number }): void;
  };
}
