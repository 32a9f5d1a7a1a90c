import type { SegmentHeader } from '../eventLog/archive/segment.ts';
import type { ArchiveHost } from './archiveHost.ts';
import type { RequestDay } from './closedDays.ts';
import type { Sealed } from './dayArchived.ts';

/** Seals a day in the calling thread, or in one of its own. */
export type SealDay = (day: RequestDay) => Promise<Sealed | undefined>;

export interface ArchiveOptions {
  readonly host: ArchiveHost;
  /** The folder of archive files. */
  readonly folder: string;
  /** The last UTC day to archive, for example `2026-11-01`. */
  readonly until: string;
  /** Why a day must stay, for example a hold; undefined when it may go. Called once this node has read the whole log. */
  readonly heldBecause?: (day: string) => Promise<string | undefined> | string | undefined;
  /** Whether days that were restored stay, too: a policy must not archive again what an operator is looking at. */
  readonly keepsRestored?: boolean;
  readonly seal?: SealDay;
  /** Called with what is done, one sentence each. */
  readonly onStep?: (step: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What a run did. */
export interface ArchiveRun {
  readonly archived: readonly SegmentHeader[];
  /** Days that stay, and why. */
  readonly kept: readonly { readonly day: string; readonly reason: string }[];
}
