import type { Socket } from 'node:net';
import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import type { IpAddress } from '../../domain/firewall/ipAddress.ts';
import { cleanClientText, clientNameOf } from '../../domain/request/clientName.ts';
import type { RequestClient } from '../../domain/request/events.ts';
import type { ClientAddress } from '../../http/client/clientAddress.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import { addressDigest, callersOfKey, callersOfMonth, originText } from '../../vault/callerKeys.ts';
import { conversationDigest } from '../../vault/conversationDigest.ts';
import type { Vault } from '../../vault/vault.ts';
import { forEachSessionHeader } from '../responses/conversationKey.ts';

/** Who sent a request, as its event records it. */
export interface Caller {
  readonly client: RequestClient;
  /** Pending while the data key is created that `client` is sealed under: once for each API key. Never rejects. */
  ready: Promise<void> | undefined;
}

/** The digests of the conversations that a request names, as its event records them. */
export interface NamedConversations {
  readonly conversation?: string;
  readonly otherConversations?: string[];
}

/** Recognises who sends requests. */
export interface Callers {
  callerOf(request: ClientRequest, keyId: ApiKeyId | null): Caller;
  /** @param ids that the body of the request names */
  conversationsOf(request: Pick<ClientRequest, 'headers'>, ids: readonly string[]): NamedConversations;
}

export interface CallersOptions {
  readonly vault: Pick<Vault, 'currentKeyOf' | 'createKey' | 'hasKey' | 'seal' | 'digest' | 'digestUnder'>;
  readonly clientAddress: ClientAddress;
  readonly now: () => Instant;
  readonly report: (error: Error) => void;
}

/** Clients choose what they send, so both caches are bounded. */
const MAX_CALLERS = 10_000;
const MAX_CONVERSATIONS = 10_000;
/** Longer ids are not kept as keys of the cache. */
const MAX_CACHED_ID = 200;
const MAX_USER_AGENT = 512;
/** Also of a store that is away: requests must not wait for it. */
const CREATE_KEY_MS = 1_000;
/** More ids than any client sends. */
const MAX_IDS = 8;

/** The sealed caller of a connection's latest request, and what it was recognised by. */
interface LastCaller {
  readonly subject: string;
  readonly address: IpAddress | undefined;
  readonly userAgent: string | undefined;
  readonly originator: string | string[] | undefined;
  readonly caller: Caller;
}

/**
 * Creates `Callers`. Address and user agent are sealed once for each client, because sealing costs more than all other fields of an
 * event together. Where the vault cannot create a data key, requests are recorded without both.
 */
export function createCallers({ vault, clientAddress, now, report }: CallersOptions): Callers {
  const callers = new Map<string, Caller>();
  /** A client repeats its headers with every request of a connection: comparing them is cheaper than joining and hashing them. */
  const lastCallers = new WeakMap<Socket, LastCaller>();
  const digests = new Map<string, string>();
  const dataKeys = new Map<string, string>();
  const creating = new Map<string, Promise<string | undefined>>();
  let month = { endsAt: 0, subject: '' };
  /** Of the latest API key: nearly always that of the next request, too. */
  let ofKey = { keyId: '', subject: '' };

  function subjectOf(keyId: ApiKeyId | null): string {
    if (keyId !== null) {
      if (keyId !== ofKey.keyId) ofKey = { keyId, subject: callersOfKey(keyId) };
      return ofKey.subject;
    }
    const at = now();
    // A clock that was set back leaves the month alone, which keeps less than it could.
    if (at >= month.endsAt) {
      const date = new Date(at);
      month = { endsAt: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1), subject: callersOfMonth(at) };
    }
    return month.subject;
  }

  /** From memory if possible, because the vault reads its file: a client may invent a user agent for each request. */
  function dataKeyOf(subject: string): string | undefined {
    const known = dataKeys.get(subject);
    if (known !== undefined && vault.hasKey(known)) return known;
    const current = vault.currentKeyOf(subject);
    if (dataKeys.size >= MAX_CALLERS) dataKeys.clear();
    if (current !== undefined) dataKeys.set(subject, current);
    return current;
  }

  function createKey(subject: string): Promise<string | undefined> {
    const pending = creating.get(subject);
    if (pending) return pending;
    const created = withTimeout(CREATE_KEY_MS, vault.createKey(subject))
      .catch((error: Error) => {
        report(error);
        return undefined;
      })
      .finally(() => creating.delete(subject));
    creating.set(subject, created);
    return created;
  }

  const digestOf = (id: string): string => {
    const known = digests.get(id);
    if (known !== undefined) return known;
    const digest = conversationDigest(vault, id);
    if (digests.size >= MAX_CONVERSATIONS) digests.clear();
    if (id.length <= MAX_CACHED_ID) digests.set(id, digest);
    return digest;
  };

  function findOrCreate(
    subject: string,
    { address, userAgent, originator }: Omit<LastCaller, 'subject' | 'caller'>,
  ): Caller {
    const name = `${subject}\n${address}\n${userAgent}\n${originator}`;
    const known = callers.get(name);
    if (known) return known;
    // In the order of the event's fields, which the fast readers of stored events expect.
    const client: RequestClient = {
      sealed: undefined,
      addressDigest: undefined,
      originator: cleanClientText(typeof originator === 'string' ? originator : undefined),
      ...clientNameOf(userAgent),
    };
    const seal = (dataKey: string): void => {
      const shortened = userAgent?.slice(0, MAX_USER_AGENT).toWellFormed();
      if (address !== undefined || shortened) client.sealed = vault.seal(dataKey, originText(address, shortened));
      if (address !== undefined) client.addressDigest = addressDigest(vault, dataKey, address);
    };
    const caller: Caller = { client, ready: undefined };
    if (callers.size >= MAX_CALLERS) callers.clear();
    callers.set(name, caller);
    const dataKey = dataKeyOf(subject);
    if (dataKey !== undefined) {
      seal(dataKey);
      return caller;
    }
    caller.ready = createKey(subject).then((created) => {
      caller.ready = undefined;
      if (created === undefined) callers.delete(name);
      else seal(created);
    });
    return caller;
  }

  return {
    callerOf(request, keyId) {
      const address = clientAddress(request);
      const { 'user-agent': userAgent, originator } = request.headers;
      const subject = subjectOf(keyId);
      const last = lastCallers.get(request.socket);
      if (
        last?.subject === subject &&
        last.address === address &&
        last.userAgent === userAgent &&
        last.originator === originator
      ) {
        return last.caller;
      }
      const caller = findOrCreate(subject, { address, userAgent, originator });
      // One without its address, as no data key could be created, is tried again with the next request.
      if (caller.client.sealed !== undefined)
        lastCallers.set(request.socket, { subject, address, userAgent, originator, caller });
      return caller;
    },

    conversationsOf({ headers }, ids) {
      let first: string | undefined;
      let others: string[] | undefined;
      let last: string | undefined;
      const add = (id: string): void => {
        // Most clients name one conversation in several places.
        if (id === last) return;
        last = id;
        const digest = digestOf(id);
        if (first === undefined) first = digest;
        else if (digest !== first && !others?.includes(digest) && (others?.length ?? 0) < MAX_IDS) {
          others = [...(others ?? []), digest];
        }
      };
      for (const id of ids) add(id);
      forEachSessionHeader(headers, add);
      if (first === undefined) return NONE;
      return others ? { conversation: first, otherConversations: others } : { conversation: first };
    },
  };
}

const NONE: NamedConversations = {};
