/** A figure of the recording and of the simulation. */
export interface Pair<Value = number> {
  readonly recorded: Value;
  readonly simulated: Value;
}

/** How a request ended. */
export interface ReportedEnd {
  readonly outcome: 'served' | 'failed' | 'refused';
  readonly account_id: string | null;
  /** Why it was refused or failed. */
  readonly reason: string | null;
  /** The rule that refused it. */
  readonly rule_id: number | null;
  readonly cost_usd: number | null;
}

/** What the simulation did differently, as it was asked for. */
export interface ReportedChanges {
  readonly routing_strategy: string | null;
  readonly prefer_earlier_reset_accounts: boolean | null;
  readonly sticky_threads_enabled: boolean | null;
  /** Ids of the keys with other limits; `*` stands for all others. */
  readonly limits: readonly string[];
  /** Version of the price table. */
  readonly prices: string | null;
  readonly without_accounts: readonly string[];
  readonly plus_accounts: readonly { readonly account_id: string; readonly plan_type: string }[];
}

/** What would have happened, beside what did: the object `what_if` of `svc replay --json` (docs/operation.md#what-if). */
export interface WhatIfReport {
  readonly changes: ReportedChanges;
  readonly requests: {
    /** Requests of the period that were decided again. */
    readonly compared: number;
    /** Those that end the same way: outcome, account, reason. */
    readonly same: number;
    readonly different: number;
    /** Requests that were decided before the state that the simulation began with. */
    readonly not_simulated: number;
  };
  readonly outcomes: { readonly served: Pair; readonly failed: Pair; readonly refused: Pair };
  readonly tokens: Pair;
  readonly cost_usd: Pair;
  readonly accounts: readonly {
    readonly account_id: string;
    readonly plan_type: string;
    readonly change: 'none' | 'removed' | 'added';
    readonly requests: Pair;
    readonly tokens: Pair;
    readonly cost_usd: Pair;
    /** Highest percent used of the windows; null when it is not known. */
    readonly primary_percent: Pair<number | null>;
    readonly secondary_percent: Pair<number | null>;
  }[];
  readonly refusals: readonly {
    readonly reason: string;
    readonly level: string | null;
    readonly subject: string | null;
    readonly rule_id: number | null;
    /** The rule in words; null when it is not known or the reason is no limit. */
    readonly rule: string | null;
    readonly requests: Pair;
  }[];
  readonly limits: readonly {
    readonly level: string;
    readonly subject: string;
    readonly rule_id: number;
    readonly limit_type: string;
    readonly limit_window: string;
    readonly model_filter: string | null;
    /** Null when the rule exists on the other side only. */
    readonly max_value: Pair<number | null>;
    /** Number of windows in which something was used. */
    readonly windows: Pair;
    /** What was used in the fullest window, in the unit of `max_value`. */
    readonly most_used: Pair;
  }[];
  readonly costs: readonly {
    readonly api_key_id: string | null;
    readonly api_key_name: string | null;
    readonly model: string;
    readonly requests: Pair;
    readonly tokens: Pair;
    readonly cost_usd: Pair;
  }[];
  readonly series: {
    readonly bucket_seconds: number;
    readonly points: readonly {
      readonly at: string;
      readonly served: Pair;
      readonly failed: Pair;
      readonly refused: Pair;
      readonly cost_usd: Pair;
    }[];
  };
  /** The first requests that end differently. */
  readonly different_requests: readonly {
    readonly request_id: string;
    readonly position: number;
    readonly requested_at: string;
    readonly recorded: ReportedEnd;
    readonly simulated: ReportedEnd;
  }[];
  /** What the simulation cannot know, and what it assumes instead. */
  readonly not_known: readonly {
    readonly code: string;
    /** How many requests it concerns; null when it concerns all. */
    readonly requests: number | null;
    readonly text: string;
  }[];
}
