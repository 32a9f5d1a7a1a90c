import { hash } from 'node:crypto';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { type ModelEntry, modelEntry } from './modelEntry.ts';

/** What a client gets of the list. */
export interface ModelsBody {
  readonly json: Buffer;
  /** Undefined while nothing is known: then nothing can have changed. */
  readonly etag: string | undefined;
}

/**
 * The models that the pool can serve, as the provider last described them to an account of each plan. One body does for
 * all clients: SDKs read `data`, Codex reads `models` (clients.md 1.5). What the provider was never asked is not invented:
 * an empty list makes Codex use its own.
 */
export class ModelList {
  readonly #hot: Pick<HotState, 'accounts' | 'models'>;
  #entries: readonly ModelEntry[] | undefined;
  #whole: ModelsBody | undefined;
  /** By the state of a key, which is another one after each change. */
  #byKey = new WeakMap<ApiKey, ModelsBody>();

  constructor(hot: Pick<HotState, 'accounts' | 'models'>) {
    this.#hot = hot;
  }

  /** What the pool can serve may have changed. */
  onFolded({ type }: KnownEvent): void {
    switch (type) {
      case 'ModelsListed':
      case 'AccountImported':
      case 'AccountTokensReplaced':
      case 'AccountPlanChanged':
      case 'AccountReactivated':
      case 'AccountDeactivated':
      case 'AccountDeleted':
        this.#entries = undefined;
        this.#whole = undefined;
        this.#byKey = new WeakMap();
    }
  }

  get isEmpty(): boolean {
    return this.#all().length === 0;
  }

  /** @param key null for clients that need none */
  bodyFor(key: ApiKey | null): ModelsBody {
    if (!key?.allowedModels) {
      this.#whole ??= rendered(this.#all());
      return this.#whole;
    }
    let body = this.#byKey.get(key);
    if (!body) {
      const { allowedModels } = key;
      body = rendered(this.#all().filter(({ slug }) => allowedModels.includes(slug)));
      this.#byKey.set(key, body);
    }
    return body;
  }

  /** @returns undefined for a model that is not known, or not the client's to use */
  find(slug: string, key: ApiKey | null): ModelEntry | undefined {
    if (key?.allowedModels && !key.allowedModels.includes(slug)) return undefined;
    return this.#all().find((model) => model.slug === slug);
  }

  #all(): readonly ModelEntry[] {
    this.#entries ??= entriesOf(this.#hot);
    return this.#entries;
  }
}

/** Each model once: of plans that describe it differently the first by name is believed. */
function entriesOf({ accounts, models: { plans, entries, firstSeen } }: Pick<HotState, 'accounts' | 'models'>) {
  const inPool = new Set<string>();
  for (const { status, planType } of accounts.values()) if (status !== 'deactivated') inPool.add(planType);
  const found = new Map<string, ModelEntry>();
  for (const planType of [...inPool].sort()) {
    for (const { slug, version } of plans.get(planType) ?? []) {
      const entry = entries.get(version);
      const since = firstSeen.get(slug);
      if (entry !== undefined && since !== undefined && !found.has(slug))
        found.set(slug, modelEntry(slug, entry, since));
    }
  }
  return [...found.values()];
}

function rendered(entries: readonly ModelEntry[]): ModelsBody {
  const body = {
    object: 'list',
    data: entries.map(({ listed }) => listed),
    models: entries.flatMap(({ described }) => described ?? []),
  };
  const json = Buffer.from(JSON.stringify(body));
  return { json, etag: entries.length === 0 ? undefined : `"${hash('sha256', json).slice(0, 32)}"` };
}
