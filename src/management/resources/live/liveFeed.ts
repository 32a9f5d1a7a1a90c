import { PassThrough, type Readable } from 'node:stream';
import { subjectOf } from '../../../../projections/history.ts';
import { refuse } from '../../../domain/core/refusal.ts';
import type { KnownEvent } from '../../../domain/eventTypes.ts';
import type { RecordedEvent } from '../../../eventLog/eventLog.ts';
import type { Management } from '../../app.ts';

export interface LiveFeedOptions extends Pick<Management, 'hot'> {
  /** Changes within this time are told together. */
  readonly gatherMs?: number;
  /** How often clients are looked at: those whose right has ended are let go, the others get a sign of life. */
  readonly checkMs?: number;
}

/** Who listens. */
export interface Listener {
  /** Those of one owner are bounded together. */
  readonly owner: string;
  /** Whether it may go on listening. */
  readonly isAllowed: () => boolean;
}

export type EndReason = 'session' | 'stopping' | 'too_slow';

const MAX_OF_ONE_OWNER = 8;
const MAX_ENTRIES = 256;
/** So many subjects are named; beyond, their kinds only. */
const MAX_SUBJECTS = 50;
/** What a listener may leave unread. */
const MAX_UNREAD = 64 * 1_024;

/** Tells pages what has changed, never how: they ask for it again. One for all streams of `GET /api/live`. */
export class LiveFeed {
  readonly #hot: LiveFeedOptions['hot'];
  readonly #gatherMs: number;
  readonly #listeners = new Map<PassThrough, Listener>();
  readonly #changed = new Set<string>();
  readonly #check: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | undefined;

  constructor({ hot, gatherMs = 200, checkMs = 10_000 }: LiveFeedOptions) {
    this.#hot = hot;
    this.#gatherMs = gatherMs;
    hot.onFolded((event) => this.#onFolded(event));
    this.#check = setInterval(() => this.#lookAround(), checkMs);
    this.#check.unref();
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** @throws Refusal `too_many_live_streams` */
  open(listener: Listener): Readable {
    const ofOwner = [...this.#listeners.values()].filter(({ owner }) => owner === listener.owner).length;
    if (ofOwner >= MAX_OF_ONE_OWNER || this.#listeners.size >= MAX_ENTRIES) refuse('too_many_live_streams');
    const stream = new PassThrough();
    this.#listeners.set(stream, listener);
    stream.once('close', () => this.#listeners.delete(stream));
    stream.on('error', () => stream.destroy());
    stream.write(frame('changed', { position: this.#hot.state.position, subjects: [] }));
    return stream;
  }

  /** Ends all streams: who drains must not wait for them. */
  stop(): void {
    clearInterval(this.#check);
    clearTimeout(this.#gathering);
    for (const stream of this.#listeners.keys()) this.#end(stream, 'stopping');
  }

  #onFolded({ stream, type, data }: RecordedEvent): void {
    if (this.#listeners.size === 0) return;
    this.#changed.add(kindOrSubject(stream, { type, data } as KnownEvent));
    this.#gathering ??= setTimeout(() => this.#tell(), this.#gatherMs);
  }

  #tell(): void {
    this.#gathering = undefined;
    const subjects = this.#changed.size > MAX_SUBJECTS ? kindsOf(this.#changed) : [...this.#changed];
    this.#changed.clear();
    this.#lookAround(frame('changed', { position: this.#hot.state.position, subjects }));
  }

  #lookAround(text = ': still here\n\n'): void {
    for (const [stream, { isAllowed }] of this.#listeners) {
      if (!isAllowed()) this.#end(stream, 'session');
      else if (stream.readableLength + stream.writableLength > MAX_UNREAD) this.#end(stream, 'too_slow');
      else stream.write(text);
    }
  }

  #end(stream: PassThrough, reason: EndReason): void {
    this.#listeners.delete(stream);
    stream.end(frame('ended', { reason }));
  }
}

const frame = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Of requests there are too many to name, and strangers choose their addresses. */
function kindOrSubject(stream: string, event: KnownEvent): string {
  const subject = subjectOf(stream, event);
  const kind = kindOf(subject);
  return kind === 'request' || kind === 'address' || kind === 'session' ? kind : subject;
}

const kindOf = (subject: string) => subject.split('-', 1)[0] as string;
const kindsOf = (subjects: Iterable<string>) => [...new Set([...subjects].map(kindOf))];
