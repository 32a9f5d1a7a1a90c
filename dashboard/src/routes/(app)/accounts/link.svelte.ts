import { type ApiError, asApiError } from '#lib/api/apiError.ts';
import { includesKind, live } from '#lib/live/live.svelte.ts';
import { cancelLink, type FlowStatus, pasteCallback, type Started, startLink, statusOfLink } from './oauth.ts';

export type Method = 'browser' | 'device';

const POLL_MS = 2_000;

/** One sign-in with the provider, from start to end. */
export class Link {
  started = $state.raw<Started | undefined>(undefined);
  status = $state.raw<FlowStatus | undefined>(undefined);
  error = $state.raw<ApiError | undefined>(undefined);
  isPasting = $state(false);
  /** When the sign-in expires, in ms since 1970. */
  expiresAt = $state(0);
  readonly method: Method;
  readonly #accountId: string | undefined;
  readonly #onDone: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #unlisten: (() => void) | undefined;
  #isCancelled = false;

  constructor(method: Method, accountId: string | undefined, onDone: () => void) {
    this.method = method;
    this.#accountId = accountId;
    this.#onDone = onDone;
  }

  get isPending(): boolean {
    return this.started !== undefined && (this.status === undefined || this.status.status === 'pending');
  }

  /** @param replaces whether to replace the tokens of an account that already exists */
  async begin({ replaces = false }: { replaces?: boolean } = {}): Promise<void> {
    this.#stop();
    this.error = undefined;
    this.status = undefined;
    this.started = undefined;
    try {
      const started = await startLink({
        forceMethod: this.method,
        ...(this.#accountId !== undefined && { accountId: this.#accountId }),
        ...(replaces && { on_duplicate: 'replace' as const }),
      });
      this.started = started;
      if (this.#isCancelled) return void this.cancel();
      this.expiresAt = Date.now() + started.expiresInSeconds * 1_000;
      this.#timer = setInterval(() => void this.#poll(), POLL_MS);
      this.#unlisten = live.listen(
        (subjects) => includesKind(['account', 'accountLink'], subjects) && void this.#poll(),
      );
    } catch (reason) {
      this.error = asApiError(reason);
    }
  }

  /** Completes the sign-in with the address that the provider redirected the browser to. */
  async paste(callbackUrl: string): Promise<void> {
    if (!this.started) return;
    this.isPasting = true;
    this.error = undefined;
    try {
      this.#apply(await pasteCallback(this.started.flowId, callbackUrl.trim()));
    } catch (reason) {
      this.error = asApiError(reason);
    } finally {
      this.isPasting = false;
    }
  }

  /** Stops polling and cancels the sign-in if it is still open. */
  cancel(): void {
    this.#isCancelled = true;
    const { started, isPending } = this;
    this.#stop();
    // A failure does not matter: the sign-in expires by itself.
    if (started && isPending) void cancelLink(started.flowId).catch(() => {});
  }

  async #poll(): Promise<void> {
    const flowId = this.started?.flowId;
    if (flowId === undefined || document.hidden) return;
    try {
      const status = await statusOfLink(flowId);
      if (flowId === this.started?.flowId) this.#apply(status);
    } catch (reason) {
      // The next poll may succeed; only errors that retrying cannot fix are shown.
      const error = asApiError(reason);
      if (error.status >= 400 && error.status < 500 && error.status !== 429) this.error = error;
    }
  }

  #apply(status: FlowStatus): void {
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
