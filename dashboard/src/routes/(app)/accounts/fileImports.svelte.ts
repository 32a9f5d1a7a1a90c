import { type ApiError, asApiError } from '#lib/api/apiError.ts';
import { api, unwrap } from '#lib/api/client.ts';

export interface FileImport {
  readonly id: number;
  readonly file: File;
  readonly outcome:
    | { readonly kind: 'waiting' }
    | { readonly kind: 'done'; readonly email: string; readonly plan: string; readonly wasReplaced: boolean }
    | { readonly kind: 'refused'; readonly error: ApiError };
}

/** Larger than any auth file. */
const MAX_BYTES = 1_000_000;

/** Imports files one after another; each has its own result. */
export class FileImports {
  list = $state<FileImport[]>([]);
  #next = 1;
  #queue: Promise<void> = Promise.resolve();
  readonly #onImported: () => void;

  constructor(onImported: () => void) {
    this.#onImported = onImported;
  }

  add(files: Iterable<File>): void {
    for (const file of files) {
      const id = this.#next++;
      this.list.push({ id, file, outcome: { kind: 'waiting' } });
      this.#enqueue(id, file, false);
    }
  }

  /** Imports a file again and replaces the tokens of the existing account. */
  replace({ id, file }: FileImport): void {
    this.#set(id, { kind: 'waiting' });
    this.#enqueue(id, file, true);
  }

  #enqueue(id: number, file: File, replaces: boolean): void {
    this.#queue = this.#queue.then(() => this.#import(id, file, replaces));
  }

  async #import(id: number, file: File, replaces: boolean): Promise<void> {
    try {
      const auth_json = file.size > MAX_BYTES ? '' : await file.text();
      const { email, plan_type: plan } = await unwrap(
        api.POST('/api/accounts/import', {
          params: { query: replaces ? { on_duplicate: 'replace' } : {} },
          body: { auth_json },
          bodySerializer: () => formOf(auth_json, file.name),
        }),
      );
      this.#set(id, { kind: 'done', email, plan, wasReplaced: replaces });
      this.#onImported();
    } catch (reason) {
      this.#set(id, { kind: 'refused', error: asApiError(reason) });
    }
  }

  #set(id: number, outcome: FileImport['outcome']): void {
    this.list = this.list.map((entry) => (entry.id === id ? { ...entry, outcome } : entry));
  }
}

function formOf(text: string, name: string): FormData {
  const form = new FormData();
  form.set('auth_json', new Blob([text], { type: 'application/json' }), name);
  return form;
}
