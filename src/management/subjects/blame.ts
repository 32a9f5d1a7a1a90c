import { sentenceOf } from '../../../projections/history.ts';
import { type Instant, instant, iso, type Position, position } from '../../domain/core/brands.ts';
import type { Json } from '../../domain/core/redact.ts';
import { type KnownEvent, upcast } from '../../domain/eventTypes.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import { ownerOfStream } from '../../domain/owner/ownerName.ts';
import type { StoredEvent } from '../../eventLog/eventLog.ts';
import type { BlameEvents, Derivation } from '../../replay/blame/blameEvents.ts';
import { copyState } from '../../state/fold/checkpoints.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { recorded } from '../../state/past/past.ts';
import type { Vault } from '../../vault/vault.ts';
import { eventActor, type People } from '../http/actor.ts';
import type { View } from '../http/views.ts';
import { createDirectory } from '../people/directory.ts';
import { fieldsOf } from './fieldsOf.ts';
import type { SubjectName } from './findSubject.ts';
import { withoutForgotten } from './forgottenFields.ts';

/** Why no event set a field: it follows from others, from requests that are open, or from the clock. */
export type FieldSource = 'event' | Derivation | 'open_requests' | 'clock' | 'api_keys' | 'operators';

/** A field with the event that set it last. */
export interface BlamedField {
  /** JSON Pointer into the resource; items of lists go by their id. */
  readonly path: string;
  readonly value: Json;
  /** Whether it had a value that was forgotten: then nothing says which event set it last. */
  readonly is_forgotten: boolean;
  readonly source: FieldSource;
  /** Null when no single event set it, or its default was never changed. */
  readonly position: number | null;
  readonly time: string | null;
  readonly type: string | null;
  readonly actor: ReturnType<typeof eventActor> | null;
  readonly sentence: string | null;
}

interface Rules {
  readonly streams: (id: string) => readonly string[];
  /** Fields that the events of these streams do not set, by their paths. */
  readonly derived?: readonly (readonly [path: RegExp, source: Exclude<FieldSource, 'event'>])[];
  /** What requests name it by, if not by its id. */
  readonly inRequests?: (id: string) => string;
}

/** Of what has limits: a key, an owner or a team. */
const ofLimits: Rules['derived'] = [
  [/^\/(last_used_at|limits\/[^/]+\/current_)/, 'requests'],
  [/^\/limits\/[^/]+\/reserved_/, 'open_requests'],
  [/^\/limits\/[^/]+\/reset_at$/, 'clock'],
];

const main = (stream: string, derived: Rules['derived'] = []): Rules => ({ streams: () => [stream], derived });

/** How the fields of each kind come about. */
const RULES: Readonly<Record<string, Rules>> = {
  account: {
    streams: (id) => [`account-${id}`],
    derived: [
      [/^\/(usage|reset_at_|window_minutes_|remaining_credits_|usage_observed_at)/, 'usage'],
      [/^\/(auth|last_refresh_at)/, 'tokens'],
      [/^\/(availability|health)/, 'requests'],
    ],
  },
  apiKey: {
    streams: (id) => [`apiKey-${id}`],
    derived: ofLimits,
  },
  team: {
    streams: (id) => [`team-${id}`],
    derived: [[/^\/keys$/, 'api_keys'], ...ofLimits],
  },
  owner: {
    streams: (id) => [`owner-${id}`],
    derived: [[/^\/(owner|keys)$/, 'api_keys'], [/^\/name$/, 'operators'], ...ofLimits],
    inRequests: ownerOfStream,
  },
  operator: main('operators-main'),
  managementToken: main('managementTokens-main', [
    [/^\/owner\/(name|role)$/, 'operators'],
    [/^\/is_valid$/, 'clock'],
  ]),
  accountUsage: { streams: () => [], derived: [[/^/, 'usage']] },
  accountTokens: { streams: (id) => [`account-${id}`], derived: [[/^/, 'tokens']] },
  settings: main('settings-main'),
  firewall: main('firewall-main'),
  clock: main('clock-main', [[/^\/(time|limits_time)$/, 'clock']]),
  hold: main('holds-main'),
  holds: main('holds-main'),
  modelCatalogue: main('modelCatalogue-main'),
  pricing: main('pricing-main'),
};

/** The kinds whose fields can be blamed, by their names in History. */
export const blamedKinds: readonly string[] = Object.keys(RULES);

/**
 * Finds out which event set each field of a resource last. Folds the resource's own events only; what follows from requests is
 * looked for near the moment.
 * @param view of the moment @param events from the same log
 * @returns undefined when the resource does not exist then, or its kind is not one of `blamedKinds`
 */
export async function blame(
  { id, kind }: SubjectName,
  view: View,
  vault: Vault,
  events: BlameEvents,
): Promise<BlamedField[] | undefined> {
  const rules = kind && RULES[kind.kind];
  const people = { vault, directory: createDirectory({ vault, state: () => view.state }) };
  const shown = rules ? kind.show(id, view, vault) : null;
  if (!rules || shown === null) return undefined;
  // The current state goes on while events are read.
  const upTo = view.state.position;
  const setBy = await lastSet(rules.streams(id), events, { upTo, now: view.now }, (at) => kind.show(id, at, vault));
  const last = new Map<Derivation, StoredEvent | undefined>();
  const lastOf = async (derivation: Derivation) => {
    if (!last.has(derivation)) last.set(derivation, await events.last(derivation, rules.inRequests?.(id) ?? id, upTo));
    return last.get(derivation);
  };
  const fields: BlamedField[] = [];
  const forgotten = new Set(withoutForgotten(shown).forgotten);
  for (const [path, value] of fieldsOf(shown)) {
    const source = rules.derived?.find(([pattern]) => pattern.test(path))?.[1] ?? 'event';
    const isForgotten = forgotten.has(path);
    const event = isForgotten ? undefined : await eventOf(source, setBy.get(path), lastOf);
    fields.push({ path, value, is_forgotten: isForgotten, source, ...blamedEvent(event, people) });
  }
  return fields;
}

async function eventOf(
  source: FieldSource,
  setBy: StoredEvent | undefined,
  lastOf: (derivation: Derivation) => Promise<StoredEvent | undefined>,
): Promise<StoredEvent | undefined> {
  switch (source) {
    case 'event':
      return setBy;
    case 'tokens':
      return later(await lastOf(source), setBy);
    case 'usage':
    case 'requests':
      return lastOf(source);
    default:
      return undefined;
  }
}

/** Tokens come with an import or with a refresh, whichever was later. */
const later = (one: StoredEvent | undefined, other: StoredEvent | undefined): StoredEvent | undefined =>
  one && other ? (one.position > other.position ? one : other) : (one ?? other);

/** The last event of the streams that changed each field, by the path of the field. */
async function lastSet(
  streams: readonly string[],
  events: BlameEvents,
  { upTo, now }: { readonly upTo: Position; readonly now: Instant },
  show: (view: View) => Json,
): Promise<Map<string, StoredEvent>> {
  const setBy = new Map<string, StoredEvent>();
  const state = events.begin ? copyState(events.begin) : new HotState();
  // With one clock for all, only events change what is shown.
  const fields = () =>
    fieldsOf(show({ state, now, windowsNow: windowsTime(state.windowsClock, now), upTo: { exactly: state.position } }));
  let before = fields();
  for (const stream of streams) {
    for (let next = 0; ; ) {
      const page = await events.page(stream, next, upTo);
      for (const event of page) {
        state.apply(recorded(event));
        const after = fields();
        for (const [path, value] of after) {
          if (!before.has(path) || JSON.stringify(before.get(path)) !== JSON.stringify(value)) setBy.set(path, event);
        }
        before = after;
        next = event.revision + 1;
      }
      if (page.length === 0) break;
    }
  }
  return setBy;
}

function blamedEvent(
  event: StoredEvent | undefined,
  people: People,
): Pick<BlamedField, 'position' | 'time' | 'type' | 'actor' | 'sentence'> {
  if (!event) return { position: null, time: null, type: null, actor: null, sentence: null };
  const { type, metadata, data, time } = event;
  const known = { type, data: upcast(type, metadata.schemaVersion, data) } as KnownEvent;
  return {
    position: position(event.position),
    time: iso(instant(time)),
    type,
    actor: eventActor(metadata.actor, people),
    sentence: sentenceOf(known),
  };
}
