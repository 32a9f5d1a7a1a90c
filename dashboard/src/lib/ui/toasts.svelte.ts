import { asApiError } from '../api/apiError.ts';

export interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
  readonly detail?: string | undefined;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const SHOWN_MS = 6_000;

/** Notifications about the result of an action. Failures stay until they are closed or another page is opened. */
class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  good(text: string, more: Pick<Toast, 'detail' | 'action'> = {}): void {
    this.#show({ tone: 'good', text, ...more });
  }

  plain(text: string, more: Pick<Toast, 'detail' | 'action'> = {}): void {
    this.#show({ tone: 'plain', text, ...more });
  }

  /** @param what e.g. "Couldn’t pause the account" */
  bad(what: string, reason: unknown): void {
    const error = asApiError(reason);
    // The redirect to the sign-in page is enough.
    if (error.isSignedOut) return;
    // The person cancelled it.
    if (error.code === 'reauthentication_required') {
      this.plain('Nothing was changed', { detail: 'You did not confirm that it is you.' });
      return;
    }
    this.#show({ tone: 'bad', text: what, detail: `${error.message}. ${error.advice}`.replace('..', '.') });
  }

  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  /** Called when another page is opened: what failed on the one before would cover it. */
  leavePage(): void {
    this.list = this.list.filter(({ tone }) => tone !== 'bad');
  }

  #show(toast: Omit<Toast, 'id'>): void {
    const id = this.#next++;
    this.list = [...this.list.slice(-3), { ...toast, id }];
    if (toast.tone !== 'bad') setTimeout(() => this.close(id), SHOWN_MS);
  }
}

export const toasts = new Toasts();
