import type { Alert } from '../domain/alert/state.ts';
import type { Instant } from '../domain/core/brands.ts';
import { Refusal } from '../domain/core/refusal.ts';
import type { Cause, HandleCommand } from '../state/commands/commandHandler.ts';
import { subjects } from '../state/fold/subjects.ts';
import type { HotRunner } from '../state/hotRunner.ts';
import type { Condition } from './condition.ts';
import type { UnrecordedAlert, UnrecordedAlerts } from './unrecordedFile.ts';

export interface AlertWatchOptions {
  readonly hot: Pick<HotRunner, 'state'>;
  readonly handle: HandleCommand;
  readonly cause: () => Cause;
  readonly newId: () => string;
  readonly now: () => Instant;
  readonly report: (error: unknown) => void;
  readonly node: string;
  /** What is wrong with this node. */
  readonly ofNode: () => readonly Condition[];
  /** What is wrong with what all nodes share; undefined on a node that does not look. */
  readonly shared: () => readonly Condition[] | undefined;
  /** Called once with an alert that the log does not take now. */
  readonly sendUnrecorded: (alert: Alert) => Promise<void>;
  /** Keeps such alerts beyond the end of this process. */
  readonly unrecorded: UnrecordedAlerts;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 5_000;

/** How long a condition must be absent until its episode is over, so that what comes and goes is one episode. */
const SETTLED_AFTER_MS: Readonly<Partial<Record<Condition['rule'], number>>> = {
  pool_low: 60_000,
  error_rate: 300_000,
  outbox_filling: 60_000,
  // After a start, what is wrong with the log is found again only once it was read.
  integrity_finding: 3_600_000,
};

/**
 * Begins and ends episodes: compares what is wrong now with the alerts that last, every few seconds. Without a webhook none begins, so that
 * the log has no alerts until an operator asks for them.
 */
export class AlertWatch {
  readonly #options: AlertWatchOptions;
  /** Since when the conditions of open alerts are absent, by key. */
  readonly #absentSince = new Map<string, number>();
  /** Alerts that the log did not take, by key: they keep their ids, and are recorded later, even if they are over by then. */
  readonly #unrecorded = new Map<string, UnrecordedAlert>();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: AlertWatchOptions) {
    this.#options = options;
    for (const alert of options.unrecorded.load()) this.#unrecorded.set(alert.condition.key, alert);
  }

  start(): void {
    const next = () => {
      if (this.#isStopped) return;
      this.#timer = setTimeout(() => void this.check().finally(next), this.#options.intervalMs ?? INTERVAL_MS).unref();
    };
    next();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#checking;
  }

  /** Compares once. Never rejects. */
  check(): Promise<void> {
    this.#checking ??= this.#compare()
      .catch(this.#options.report)
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  async #compare(): Promise<void> {
    const { hot, node, ofNode, shared } = this.#options;
    const ofAll = shared();
    const conditions = [...ofNode(), ...(ofAll ?? [])];
    const { open, webhooks } = hot.state.alerts;
    const keys = new Set(conditions.map(({ key }) => key));
    for (const condition of conditions) {
      this.#absentSince.delete(condition.key);
      if (webhooks.size > 0 && !open.has(condition.key)) await this.#raise(condition);
    }
    for (const [key, { condition }] of this.#unrecorded) if (!keys.has(key)) await this.#raise(condition);
    const mine = [...open.values()].filter((alert) =>
      alert.node === null ? ofAll !== undefined : alert.node === node,
    );
    for (const alert of mine) if (!keys.has(alert.key) && this.#isSettled(alert)) await this.#resolve(alert.key);
  }

  #isSettled({ key, rule }: Alert): boolean {
    const now = this.#options.now();
    const since = this.#absentSince.get(key) ?? now;
    this.#absentSince.set(key, since);
    return now - since >= (SETTLED_AFTER_MS[rule] ?? 0);
  }

  async #raise(condition: Condition): Promise<void> {
    const { newId, now, hot, sendUnrecorded } = this.#options;
    const { key } = condition;
    const alertId = this.#unrecorded.get(key)?.alertId ?? newId();
    if (await this.#isRecorded({ type: 'RaiseAlert', alertId, ...condition })) {
      if (this.#unrecorded.delete(key)) this.#keepUnrecorded();
      return;
    }
    if (this.#unrecorded.has(key)) return;
    this.#unrecorded.set(key, { alertId, condition });
    this.#keepUnrecorded();
    const raised = { at: now(), position: hot.state.position };
    await sendUnrecorded({ id: alertId, ...condition, raised, resolved: null });
  }

  #keepUnrecorded(): void {
    this.#options.unrecorded.save([...this.#unrecorded.values()]);
  }

  async #resolve(key: string): Promise<void> {
    if (await this.#isRecorded({ type: 'ResolveAlert', key })) this.#absentSince.delete(key);
  }

  /** @returns false while the log takes no events */
  async #isRecorded(command: Parameters<typeof subjects.alert.decider.decide>[0]): Promise<boolean> {
    const { handle, cause } = this.#options;
    try {
      await handle(subjects.alert, 'main', command, cause());
      return true;
    } catch (error) {
      if (error instanceof Refusal && ['log_unavailable', 'conflict', 'change_refused'].includes(error.code)) {
        return error.code === 'conflict';
      }
      throw error;
    }
  }
}
