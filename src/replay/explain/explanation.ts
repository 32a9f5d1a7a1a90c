/** Why a request went where it went, or why it was refused, as JSON. Times are ISO 8601, amounts in the unit of their limit. */
export interface Explanation {
  readonly request_id: string;
  /** `served`; `failed`: svc called the provider, or tried to; `refused`: svc refused it. */
  readonly outcome: 'served' | 'failed' | 'refused';
  /** HTTP status as text, or `error` when the response failed after its head was sent. */
  readonly status: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /** The account of the last attempt; null when there was none. */
  readonly account_id: string | null;
  readonly requested_at: string;
  readonly route: string;
  readonly model: string;
  readonly reasoning_effort: string | null;
  readonly latency_ms: number;
  readonly first_byte_ms: number | null;
  readonly caller: ExplainedCaller;
  readonly pin: ExplainedPin | null;
  readonly admission: ExplainedAdmission | null;
  /** Every account that existed at the last choice; empty when none was made. */
  readonly candidates: readonly ExplainedCandidate[];
  /** The last choice, if it found no account. */
  readonly no_account: ExplainedChoice | null;
  readonly attempts: readonly ExplainedAttempt[];
  /** Null when the provider reported no usage, or the model has no price. */
  readonly cost: ExplainedCost | null;
  /** The events about the request and those that its decisions name, in order. */
  readonly events: readonly ExplainedEvent[];
}

export interface ExplainedCaller {
  /** `anonymous`: no key was required, or none was known. */
  readonly kind: 'api_key' | 'anonymous';
  readonly key_id: string | null;
  /** Its name then; null when the key was unknown. */
  readonly key_name: string | null;
  /** Null: every model. */
  readonly allowed_models: readonly string[] | null;
  /** Where its requests were served; null: in every region. */
  readonly regions: readonly string[] | null;
  readonly expires_at: string | null;
  /** To whom the key belonged when the request was admitted. */
  readonly owner: string | null;
  /** The id of its team then, and the team's name. */
  readonly team: string | null;
  readonly team_name: string | null;
}

export interface ExplainedPin {
  /** A digest of the conversation's key. */
  readonly conversation: string;
  /** The header or field that named the conversation; null in events of earlier versions. */
  readonly source: string | null;
  /** The account that the conversation had when the request came; null for none. */
  readonly account_id: string | null;
  /** Whether the chosen account replaced the conversation's for this request only. */
  readonly is_fallback: boolean;
}

export interface ExplainedAdmission {
  readonly verdict: 'admitted' | 'refused';
  /** What refused it: `limit`, `allowed_models`, or the error code of a refusal that was not decided from the log. */
  readonly rule: string | null;
  /** The limit that was reached. */
  readonly limit_id: number | null;
  /** Where it stands: `key`, `owner` or `team`. */
  readonly limit_level: string | null;
  readonly decided_at: number;
  readonly as_of: string | null;
  readonly rule_version: number | null;
  /** What the request was expected to use, and where that comes from. */
  readonly estimate: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cost_usd: number;
  } | null;
  readonly estimate_source: string | null;
  /** Number of nodes that shared the limits. */
  readonly nodes: number;
  readonly limits: readonly ExplainedLimit[];
}

export interface ExplainedLimit {
  /** Unique within its level. */
  readonly id: number;
  /** `key`, `owner` or `team`. */
  readonly level: string;
  /** The id of the key, the owner, or the id of the team. */
  readonly subject: string;
  readonly limit_type: string;
  readonly limit_window: string;
  readonly model_filter: string | null;
  readonly applies: boolean;
  /** Used in the window by requests that had ended. */
  readonly counted: number;
  /** What open requests had reserved. */
  readonly reserved: number;
  /** What this request reserved. */
  readonly estimate: number;
  readonly ceiling: number;
  readonly resets_at: string;
}

export interface ExplainedCandidate {
  readonly account_id: string;
  readonly eligible: boolean;
  /** What kept it out; null for an account that could be chosen. */
  readonly reason: string | null;
  readonly detail: string | null;
  readonly since: string | null;
  readonly until: string | null;
  /** The request that made it cool down. */
  readonly by_request_id: string | null;
  /** Position of the event that `since` comes from. */
  readonly since_position: number | null;
  readonly plan: string;
  /** The order of preference, from 1; null for an account that could not be chosen. */
  readonly place: number | null;
  /** The figures of the strategy. */
  readonly used_percent_secondary: number | null;
  readonly used_percent_primary: number | null;
  /** Whole days until the long window is reset, where accounts with an earlier reset are preferred. */
  readonly days_to_reset: number | null;
  /** The number that decided between equal figures, the lowest first. */
  readonly tie_break: number | null;
}

export interface ExplainedChoice {
  /** `pin`, `only`, `usage_weighted`, `round_robin`, `repeat` (the same account with new tokens), or `none`. */
  readonly by: string;
  /** Why none was found: `empty`, `exhausted`, `cooling` or `tried`. */
  readonly reason: string | null;
  readonly decided_at: number;
  readonly as_of: string;
  readonly rule_version: number;
  /** The round-robin counter, where it decided. */
  readonly turn: number | null;
  readonly candidates: readonly ExplainedCandidate[];
}

export interface ExplainedAttempt {
  readonly number: number;
  readonly account_id: string;
  readonly outcome: string;
  readonly provider_status: number | null;
  readonly code: string | null;
  readonly errno: string | null;
  readonly proxy: string | null;
  /** Where the provider had to process it. */
  readonly region: string | null;
  readonly started_at: string;
  readonly ended_at: string;
  readonly duration_ms: number;
  readonly waited_ms: number;
  /** Until when the provider refuses the account, as it said. */
  readonly limited_until: string | null;
  readonly choice: ExplainedChoice;
}

export interface ExplainedCost {
  readonly total_usd: number;
  readonly price_version: string | null;
  readonly service_tier: string | null;
  /** Whether svc estimated the usage, because the provider reported none. */
  readonly is_estimated: boolean;
  /** Empty when the log has no price table of that version. */
  readonly terms: readonly {
    readonly tokens: string;
    readonly count: number;
    readonly usd_per_million: number;
    readonly factor: number;
    readonly usd: number;
  }[];
}

export interface ExplainedEvent {
  readonly position: number;
  readonly type: string;
  readonly time: string;
  readonly stream: string;
}
