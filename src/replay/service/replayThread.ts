import type { Instant } from '../../domain/core/brands.ts';
import type { ReplayJson } from '../replayJson.ts';
import type { WhatIfReport } from '../whatIf/report.ts';
import type { WhatIf } from '../whatIf/whatIf.ts';

/** What a running service replays of its own log. */
export interface ReplayTask {
  readonly location: string;
  /** As in `LogFiles`. */
  readonly begin: string | undefined;
  readonly since: Instant | undefined;
  readonly until: Instant | undefined;
  /** Undefined: only repeat what was decided. */
  readonly whatIf: WhatIf | undefined;
}

/** The report of a replay through the service. */
export interface ReplayReport extends ReplayJson {
  /** Differences beyond the first ones, which `differences` has. */
  readonly more_differences: number;
  readonly what_if: WhatIfReport | null;
}

/** The messages between a running service and the thread that replays its log. */
export interface ReplayServiceThread {
  requests: {
    replay(task: ReplayTask): ReplayReport;
  };
  reports: {
    progress(done: { readonly events: number; readonly of: number }): void;
  };
}
