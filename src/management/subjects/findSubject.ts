import { nearestName } from '../../lib/nearestName.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { type SubjectKind, subjectKinds } from './subjectKinds.ts';

/** A resource by its name in History. */
export interface SubjectName {
  /** `<kind>-<id>`, as in History. */
  readonly name: string;
  readonly id: string;
  /** Undefined for a request, which is read from the log. */
  readonly kind: SubjectKind | undefined;
}

/** A text names no resource, or several; the message says which there are. */
export class UnknownSubject extends Error {
  override readonly name = 'UnknownSubject';
  /** The one with the nearest name, or those that it could mean. */
  readonly candidates: readonly string[];
  constructor(message: string, candidates: readonly string[]) {
    super(message);
    this.candidates = candidates;
  }
}

/** More are not listed in a message. */
const MAX_CANDIDATES = 10;

/** The kind that a text begins with, and the rest. History separates them by a dash, commands also by a colon. */
function splitKind(text: string): { readonly kind: SubjectKind | 'request'; readonly rest: string } | undefined {
  for (const kind of subjectKinds) {
    for (const name of [kind.kind, ...kind.aliases]) {
      if (text === name && kind.onlyId) return { kind, rest: kind.onlyId };
      if (text.startsWith(`${name}:`)) return { kind, rest: text.slice(name.length + 1) };
    }
  }
  if (text.startsWith('request:')) return { kind: 'request', rest: text.slice('request:'.length) };
  // After the names with a colon, since an alias with a dash begins like another kind.
  const [, prefix = '', rest = ''] = /^([A-Za-z]+)-(.+)$/s.exec(text) ?? [];
  if (prefix === 'request') return { kind: 'request', rest };
  const kind = subjectKinds.find((each) => each.kind === prefix);
  return kind && rest !== '' ? { kind, rest } : undefined;
}

const nameOf = (kind: SubjectKind, id: string): SubjectName => ({ name: `${kind.kind}-${id}`, id, kind });
const requestOf = (id: string): SubjectName => ({ name: `request-${id}`, id, kind: undefined });

/**
 * Finds the resource that a text names: `<kind>-<id>` as in History, `<kind>:<id>`, the name of the only resource of a kind, or an
 * id, an API key also by its name or prefix. A text that names nothing else is taken for a request id.
 * @param states where it may exist: those of the moments that are asked for
 * @throws UnknownSubject
 */
export function findSubject(text: string, states: readonly HotState[]): SubjectName {
  const split = splitKind(text);
  if (split?.kind === 'request') return requestOf(split.rest);
  if (split) return findIn([split.kind], split.rest, states, text) ?? unknown(text, [split.kind], split.rest, states);
  return findIn(subjectKinds, text, states, text) ?? requestOf(text);
}

function findIn(
  kinds: readonly SubjectKind[],
  wanted: string,
  states: readonly HotState[],
  text: string,
): SubjectName | undefined {
  const byId = kinds.find((kind) => states.some((state) => has(kind.ids(state), wanted)));
  if (byId) return nameOf(byId, wanted);
  const labelled = kinds.flatMap((kind) =>
    states.flatMap((state) =>
      [...(kind.labels?.(state) ?? [])].filter(({ label }) => label === wanted).map(({ id }) => nameOf(kind, id)),
    ),
  );
  const found = new Map(labelled.map((subject) => [subject.name, subject]));
  if (found.size <= 1) return [...found.values()][0];
  const names = [...found.keys()];
  throw new UnknownSubject(`"${text}" could be several: ${listed(names)}. Name one of them.`, names);
}

const has = (ids: Iterable<string>, wanted: string): boolean => {
  for (const id of ids) if (id === wanted) return true;
  return false;
};

function unknown(text: string, kinds: readonly SubjectKind[], rest: string, states: readonly HotState[]): never {
  const nearest = nearestSubject(rest, kinds, states);
  throw new UnknownSubject(
    `There is no "${text}" at that moment.${nearest === undefined ? ` Name ${SHAPES}.` : ` Did you mean ${nearest}?`}`,
    nearest === undefined ? [] : [nearest],
  );
}

/** The name of the resource whose id, name or prefix is nearest to a text; undefined when none is near. */
export function nearestSubject(
  text: string,
  kinds: readonly SubjectKind[],
  states: readonly HotState[],
): string | undefined {
  const names = new Map<string, string>();
  for (const kind of kinds) {
    if (kind.onlyId) for (const name of [kind.kind, ...kind.aliases]) names.set(name, `${kind.kind}-main`);
    for (const state of states) {
      for (const id of kind.ids(state)) if (!kind.onlyId) names.set(id, `${kind.kind}-${id}`);
      for (const { id, label } of kind.labels?.(state) ?? []) names.set(label, `${kind.kind}-${id}`);
    }
  }
  const nearest = nearestName(text, names.keys());
  return nearest === undefined ? undefined : names.get(nearest);
}

const listed = (names: readonly string[]): string =>
  names.length <= MAX_CANDIDATES
    ? names.join(', ')
    : `${names.slice(0, MAX_CANDIDATES).join(', ')} and ${names.length - MAX_CANDIDATES} more`;

/** What can be named, for messages. */
export const SHAPES =
  'account-<id>, apiKey-<id> (or the name or prefix of a key), team-<id>, owner-<owner>, operator-<id>, managementToken-<id>, settings, firewall, clock, holds, hold-<id>, modelCatalogue, pricing, accountUsage-<id>, accountTokens-<id>, accountCoolDown-<id>, node-<id> or request-<id>';
