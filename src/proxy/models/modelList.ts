import { hash } from 'node:crypto';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { type ModelEntry, parseModelEntry } from './modelEntry.ts';

/** The list as sent to a client. */
export interface ModelsBody {
  readonly json: Buffer;
  /** Undefined while no model is known. */
  readonly etag: string | undefined;
}

/**
 * The models that the pool can serve, as the provider last described them to an account of each plan. One body serves all
 * clients: SDKs read `data`, Codex reads `models` (docs/clients.md#one-models-body-satisfies-every-client). Before the
 * provider has responded the list is empty, which makes Codex use its built-in one.
 */
export class ModelList {
  readonly #hot: Pick<HotState, 'accounts' | 'models'>;
  #entries: readonly ModelEntry[] | undefined;
  #body: ModelsBody | undefined;
  /** Keyed by the state of an API key, which is a new object after each change. */
  #byKey = new WeakMap<ApiKey, ModelsBody>();

  constructor(hot: Pick<HotState, 'accounts' | 'models'>) {
    this.#hot = hot;
  }

  /** Invalidates what the event may have changed. */
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
        this.#body = undefined;
        this.#byKey = new WeakMap();
    }
  }

  get isEmpty(): boolean {
    return this.#all().length === 0;
  }

  /** Returns the list for a client. @param key null when no key is required */
  bodyFor(key: ApiKey | null): ModelsBody {
    if (!key?.allowedModels) {
      this.#body ??= render(this.#all());
      return this.#body;
    }
    let body = this.#byKey.get(key);
    if (!body) {
      const { allowedModels } = key;
      body = render(this.#all().filter(({ slug }) => allowedModels.includes(slug)));
      this.#byKey.set(key, body);
    }
    return body;
  }

  /** @returns undefined for a model that is unknown, or that the key may not use */
  find(slug: string, key: ApiKey | null): ModelEntry | undefined {
    if (key?.allowedModels && !key.allowedModels.includes(slug)) return undefined;
    return this.#all().find((model) => model.slug === slug);
  }

  #all(): readonly ModelEntry[] {
    this.#entries ??= collectEntries(this.#hot);
    return this.#entries;
  }
}

/** Collects each model once. If plans describe it differently, the description of the alphabetically first plan is used. */
function collectEntries({ accounts, models: { plans, entries, firstSeen } }: Pick<HotState, 'accounts' | 'models'>) {
  const inPool = new Set<string>();
  for (const { status, planType } of accounts.values()) if (status !== 'deactivated') inPool.add(planType);
  const found = new Map<string, ModelEntry>();
  for (const planType of [...inPool].sort()) {
    for (const { slug, version } of plans.get(planType) ?? []) {
      const entry = entries.get(version);
      const since = firstSeen.get(slug);
      if (entry !== undefined && since !== undefined && !found.has(slug))
        found.set(slug, parseModelEntry(slug, entry, since));
    }
  }
  return [...found.values()];
}

function render(entries: readonly ModelEntry[]): ModelsBody {
  const body = {
    object: 'list',
    data: entries.map(({ listed }) => listed),
    models: entries.flatMap(({ described }) => described ?? []),
  };
  const json = Buffer.from(JSON.stringify(body));
  return { json, etag: entries.length === 0 ? undefined : `"${hash('sha256', json).slice(0, 32)}"` };
}
