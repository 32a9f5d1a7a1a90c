/** Kinds of subjects that `GET /api/live` reports. */
export type Kind =
  | 'account'
  | 'accountUsage'
  | 'accountCoolDown'
  | 'accountTokens'
  | 'accountLink'
  | 'apiKey'
  | 'team'
  | 'owner'
  | 'firewall'
  | 'alerts'
  | 'settings'
  | 'request'
  | 'session'
  | 'operator'
  | 'managementToken'
  | 'address';

type Listener = (subjects: readonly string[]) => void;

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/**
 * The page's only event stream. It is closed while the tab is hidden, since browsers allow few connections to one host;
 * after reopening, everything counts as changed.
 */
class Live {
  state = $state<'off' | 'connecting' | 'live' | 'waiting'>('off');
  /** Position of the last message. */
  position = $state(0);
  #source: EventSource | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isWanted = false;
  readonly #listeners = new Set<Listener>();
  onSessionEnded: () => void = () => {};

  /** Calls the listener with the changed subjects, or with none when anything may have changed. @returns a function that removes it */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): () => void {
    this.#isWanted = true;
    const onVisible = () => (document.hidden ? this.#close('off') : this.#open());
    document.addEventListener('visibilitychange', onVisible);
    onVisible();
    return () => {
      this.#isWanted = false;
      document.removeEventListener('visibilitychange', onVisible);
      this.#close('off');
    };
  }

  #open(): void {
    if (!this.#isWanted || this.#source) return;
    clearTimeout(this.#retry);
    this.state = 'connecting';
    const source = new EventSource('/api/live');
    this.#source = source;
    source.addEventListener('changed', ({ data }) => this.#onChanged(JSON.parse(data)));
    source.addEventListener('ended', ({ data }) => {
      const { reason } = JSON.parse(data) as { reason: string };
      if (reason === 'session') this.onSessionEnded();
      this.#scheduleReopen();
    });
    source.onerror = () => this.#scheduleReopen();
  }

  #onChanged({ position, subjects }: { position: number; subjects: readonly string[] }): void {
    const missed = subjects.length === 0 && this.position !== 0 && this.position !== position;
    const wasWaiting = this.state !== 'live';
    this.state = 'live';
    this.#retryMs = FIRST_RETRY_MS;
    this.position = position;
    if (subjects.length > 0 || missed || wasWaiting) for (const listener of this.#listeners) listener(subjects);
  }

  /** EventSource reconnects by itself, but not after an error status, and without back-off. */
  #scheduleReopen(): void {
    this.#close('waiting');
    this.#retry = setTimeout(() => this.#open(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
  }

  #close(state: 'off' | 'waiting'): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
    this.state = state;
  }
}

export const live = new Live();

/** Whether the subjects include one of these kinds; no subjects means that anything may have changed. */
export const includesKind = (kinds: readonly Kind[], subjects: readonly string[]): boolean =>
  subjects.length === 0 || subjects.some((subject) => kinds.includes(subject.split('-', 1)[0] as Kind));
