import { type ApiError, asApiError } from '#lib/api/apiError.ts';
import { concerns, live } from '#lib/live/live.svelte.ts';
import { cancelLink, type FlowStatus, pasteCallback, type Started, startLink, statusOfLink } from './oauth.ts';

export type Way = 'browser' | 'device';

const POLL_MS = 2_000;

/** One sign-in at the provider, from its beginning to its end. */
export class Link {
  started = $state.raw<Started | undefined>(undefined);
  status = $state.raw<FlowStatus | undefined>(undefined);
  error = $state.raw<ApiError | undefined>(undefined);
  isPasting = $state(false);
  /** When nobody waits for it any more, in ms since 1970. */
  expiresAt = $state(0);
  readonly way: Way;
  readonly #accountId: string | undefined;
  readonly #onDone: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #unlisten: (() => void) | undefined;
  #isLeft = false;

  constructor(way: Way, accountId: string | undefined, onDone: () => void) {
    this.way = way;
    this.#accountId = accountId;
    this.#onDone = onDone;
  }

  get isPending(): boolean {
    return this.started !== undefined && (this.status === undefined || this.status.status === 'pending');
  }

  /** @param replaces take the tokens of an account that is known already */
  async begin({ replaces = false }: { replaces?: boolean } = {}): Promise<void> {
    this.#stop();
    this.error = undefined;
    this.status = undefined;
    this.started = undefined;
    try {
      const started = await startLink({
        forceMethod: this.way,
        ...(this.#accountId !== undefined && { accountId: this.#accountId }),
        ...(replaces && { on_duplicate: 'replace' as const }),
      });
      this.started = started;
      if (this.#isLeft) return void this.leave();
      this.expiresAt = Date.now() + started.expiresInSeconds * 1_000;
      this.#timer = setInterval(() => void this.#look(), POLL_MS);
      this.#unlisten = live.listen((subjects) => concerns(['account', 'accountLink'], subjects) && void this.#look());
    } catch (reason) {
      this.error = asApiError(reason);
    }
  }

  /** Takes the address at which the browser ended. */
  async paste(callbackUrl: string): Promise<void> {
    if (!this.started) return;
    this.isPasting = true;
    this.error = undefined;
    try {
      this.#take(await pasteCallback(this.started.flowId, callbackUrl.trim()));
    } catch (reason) {
      this.error = asApiError(reason);
    } finally {
      this.isPasting = false;
    }
  }

  /** Nobody waits any more: what is still open is cancelled. */
  leave(): void {
    this.#isLeft = true;
    const { started, isPending } = this;
    this.#stop();
    // Whether that works makes no difference to anybody: it would expire by itself.
    if (started && isPending) void cancelLink(started.flowId).catch(() => {});
  }

  async #look(): Promise<void> {
    const flowId = this.started?.flowId;
    if (flowId === undefined || document.hidden) return;
    try {
      const status = await statusOfLink(flowId);
      if (flowId === this.started?.flowId) this.#take(status);
    } catch (reason) {
      // The next look may succeed; only what a new look cannot mend is shown.
      const error = asApiError(reason);
      if (error.status >= 400 && error.status < 500 && error.status !== 429) this.error = error;
    }
  }

  #take(status: FlowStatus): void {
    const wasPending = this.isPending;
    this.status = status;
    if (status.status === 'pending') return;
    this.#stop();
    if (wasPending && status.status === 'success') this.#onDone();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#unlisten?.();
  }
}
