import { PassThrough, type Readable } from 'node:stream';
import { subjectOf } from '../../../../projections/history.ts';
import { refuse } from '../../../domain/core/refusal.ts';
import type { KnownEvent } from '../../../domain/eventTypes.ts';
import type { RecordedEvent } from '../../../eventLog/eventLog.ts';
import type { HotRunner } from '../../../state/hotRunner.ts';

export interface LiveFeedOptions {
  readonly hot: HotRunner;
  /** Changes during this time are sent in one message. */
  readonly batchMs?: number;
  /** Interval at which listeners without access are dropped and all others get a keepalive. */
  readonly checkMs?: number;
}

export interface Listener {
  /** The session or address whose streams are limited together. */
  readonly owner: string;
  /** Whether the listener still has access. */
  readonly isAllowed: () => boolean;
  /** Whether messages name the ids of what changed; otherwise only its kind. */
  readonly mayKnowIds: () => boolean;
}

export type EndReason = 'session' | 'stopping' | 'too_slow';

const MAX_STREAMS_PER_OWNER = 8;
const MAX_STREAMS = 256;
/** A message with more subjects names their kinds instead. */
const MAX_SUBJECTS = 50;
const MAX_UNREAD_BYTES = 64 * 1_024;

/** Notifies all streams of `GET /api/live` which subjects changed; clients then request the new state. */
export class LiveFeed {
  readonly #hot: LiveFeedOptions['hot'];
  readonly #batchMs: number;
  readonly #listeners = new Map<PassThrough, Listener>();
  readonly #changed = new Set<string>();
  readonly #checkTimer: NodeJS.Timeout;
  #batchTimer: NodeJS.Timeout | undefined;

  constructor({ hot, batchMs = 200, checkMs = 10_000 }: LiveFeedOptions) {
    this.#hot = hot;
    this.#batchMs = batchMs;
    hot.onFolded((event) => this.#onFolded(event));
    this.#checkTimer = setInterval(() => this.#send(KEEPALIVE), checkMs);
    this.#checkTimer.unref();
  }

  /** Number of open streams. */
  get size(): number {
    return this.#listeners.size;
  }

  /** @throws Refusal `too_many_live_streams` */
  open(listener: Listener): Readable {
    const ofOwner = [...this.#listeners.values()].filter(({ owner }) => owner === listener.owner).length;
    if (ofOwner >= MAX_STREAMS_PER_OWNER || this.#listeners.size >= MAX_STREAMS) refuse('too_many_live_streams');
    const stream = new PassThrough();
    this.#listeners.set(stream, listener);
    stream.once('close', () => this.#listeners.delete(stream));
    stream.on('error', () => stream.destroy());
    stream.write(message('changed', { position: this.#hot.state.position, subjects: [] }));
    return stream;
  }

  /** Ends all streams, which would otherwise keep the server from draining. */
  stop(): void {
    clearInterval(this.#checkTimer);
    clearTimeout(this.#batchTimer);
    for (const stream of this.#listeners.keys()) this.#end(stream, 'stopping');
  }

  #onFolded({ stream, type, data }: RecordedEvent): void {
    if (this.#listeners.size === 0) return;
    this.#changed.add(subjectOrKind(stream, { type, data } as KnownEvent));
    this.#batchTimer ??= setTimeout(() => this.#sendChanges(), this.#batchMs);
  }

  #sendChanges(): void {
    this.#batchTimer = undefined;
    const kinds = kindsOf(this.#changed);
    const subjects = this.#changed.size > MAX_SUBJECTS ? kinds : [...this.#changed];
    this.#changed.clear();
    const { position } = this.#hot.state;
    this.#send(message('changed', { position, subjects }), message('changed', { position, subjects: kinds }));
  }

  /** Sends to every listener that still has access and keeps up; ends the streams of all others. */
  #send(text: string, withoutIds = text): void {
    for (const [stream, { isAllowed, mayKnowIds }] of this.#listeners) {
      if (!isAllowed()) this.#end(stream, 'session');
      else if (stream.readableLength + stream.writableLength > MAX_UNREAD_BYTES) this.#end(stream, 'too_slow');
      else stream.write(mayKnowIds() ? text : withoutIds);
    }
  }

  #end(stream: PassThrough, reason: EndReason): void {
    this.#listeners.delete(stream);
    stream.end(message('ended', { reason }));
  }
}

const KEEPALIVE = ': keepalive\n\n';

const message = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Names only the kind of requests, of which there are too many, and of subjects whose ids clients choose. */
function subjectOrKind(stream: string, event: KnownEvent): string {
  const subject = subjectOf(stream, event);
  const kind = kindOf(subject);
  return kind === 'request' || kind === 'address' || kind === 'session' ? kind : subject;
}

const kindOf = (subject: string) => subject.split('-', 1)[0] as string;
const kindsOf = (subjects: Iterable<string>) => [...new Set([...subjects].map(kindOf))];
