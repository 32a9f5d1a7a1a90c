import { MarkFile, readMarkFile } from '../../dataFolder/markFile.ts';
import type { Faults } from '../../lib/faults.ts';
import { startThread, type Thread } from '../../lib/threads/startThread.ts';
import { describeBreak, logBroken } from '../continuity.ts';
import type { FoundBreak } from './hashVerifier.ts';
import type { SurplusField } from './surplusFields.ts';
import type { VerifyThread } from './verifyProtocol.ts';

export interface KeepVerifiedOptions {
  /** The log's file. */
  readonly logPath: string;
  /** The file that says how far the log was verified. */
  readonly markPath: string;
  /** Position of the last event. */
  readonly head: () => number;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** Called with an error that verifies nothing; the next pass tries again. */
  readonly report: (error: Error) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly timing?: Partial<typeof TIMING>;
}

export interface LogVerifier {
  /** Starts the first pass. */
  start(): void;
  /** Aborts a pass; the next start continues after the events that it has verified. */
  stop(): Promise<void>;
}

/** What was verified before. */
interface VerifiedMark {
  /** All events up to this position were intact. */
  readonly position: number;
  /** When the last pass over the whole log began, in milliseconds since 1970. */
  readonly wholeAt: number;
  /** How far a pass over the whole log has come that was aborted; absent when there is none. */
  readonly whole?: { readonly position: number; readonly begunAt: number };
  /** The search for surplus fields; absent before there was one. */
  readonly fields?: CheckedFields;
}

interface CheckedFields {
  /** They were looked for in all events up to this position. */
  readonly position: number;
  /** Those that were reported, as `<type>.<path>`: each is reported once for an installation. */
  readonly reported: readonly string[];
}

const TIMING = {
  /** After the start, whose work has priority. */
  firstAfterMs: 1_000,
  /** Between two passes over new events. */
  intervalMs: 300_000,
  /** Between two passes over the whole log. */
  wholeIntervalMs: 86_400_000,
};
const WORKER = new URL('./verifyWorker.ts', import.meta.url);
/** None of its objects lives longer than a page of events. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };
const NOTHING: VerifiedMark = { position: 0, wholeAt: 0 };
/** Faults that one pass raises at most; each names a stream. */
const MAX_FAULTS = 20;
/** Further ones are not reported. All names together fit into the mark's file. */
const MAX_SURPLUS_FIELDS = 50;

/**
 * Verifies the hash of each event in the background, in a thread of low priority that uses a fifth of a core at most: new
 * events every few minutes, the whole log once a day. A break is a fault until a pass over the whole log finds none. Fields of
 * older events that no schema knows are reported once.
 */
export function keepVerified(options: KeepVerifiedOptions): LogVerifier {
  const { logPath, markPath, head, faults, report, now = Date.now } = options;
  const timing = { ...TIMING, ...options.timing };
  const content = readMarkFile<VerifiedMark>(markPath);
  let mark = content.kind === 'mark' ? content.mark : NOTHING;
  let fields: CheckedFields = mark.fields ?? { position: 0, reported: [] };
  // A restored log may be shorter than what was verified.
  if (mark.position > head()) {
    mark = NOTHING;
    fields = { ...fields, position: 0 };
  }
  /** How far this process has verified, breaks included: the mark stays before the first break. */
  let verified = mark.position;
  let file: MarkFile<VerifiedMark> | undefined;
  let thread: Thread<VerifyThread> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const raised = new Map<string, Set<string>>();
  let raisedInPass = 0;

  /** Whether the clock says that it is time, in whichever direction it was moved. */
  const isWholeDue = (): boolean => Math.abs(now() - mark.wholeAt) >= timing.wholeIntervalMs;

  async function pass(): Promise<void> {
    if (head() === 0) verified = 0;
    else if (mark.whole || isWholeDue()) await verifyWhole();
    else if (head() > verified) await verifyNew();
    if (!isStopped) timer = setTimeout(runPass, timing.intervalMs).unref();
  }

  function runPass(): void {
    void pass().catch((error: Error) => {
      if (isStopped) return;
      report(new Error(`Couldn't verify the log in the background: ${error.message}. svc tries again.`));
      timer = setTimeout(runPass, timing.intervalMs).unref();
    });
  }

  async function verifyWhole(): Promise<void> {
    const { position, begunAt } = mark.whole ?? { position: 0, begunAt: now() };
    let firstBreak = Number.POSITIVE_INFINITY;
    const reached = await verifyFrom(position, (at, found) => {
      firstBreak = Math.min(firstBreak, ...found.map((each) => each.position));
      // A pass that found a break begins again after a restart, so that it finds it again.
      note({ ...mark, whole: { position: Math.min(at, firstBreak - 1), begunAt } });
    });
    verified = reached;
    const isIntact = firstBreak === Number.POSITIVE_INFINITY;
    if (isIntact && position === 0) clearAll();
    note({ position: Math.min(reached, firstBreak - 1), wholeAt: begunAt });
  }

  async function verifyNew(): Promise<void> {
    let firstBreak = Number.POSITIVE_INFINITY;
    const isBehindBreak = verified > mark.position;
    verified = await verifyFrom(verified, (at, found) => {
      firstBreak = Math.min(firstBreak, ...found.map((each) => each.position));
      if (!isBehindBreak) note({ ...mark, position: Math.min(at, firstBreak - 1) });
    });
    if (!isBehindBreak) note({ ...mark, position: Math.min(verified, firstBreak - 1) });
  }

  async function verifyFrom(
    after: number,
    onProgress: (position: number, found: readonly FoundBreak[]) => void,
  ): Promise<number> {
    raisedInPass = 0;
    const running = startThread<VerifyThread>(WORKER, {
      name: 'log verifier',
      resourceLimits,
      keepsProcessAlive: false,
      reports: {
        progress({ position, found, surplus }) {
          if (isStopped) return;
          for (const each of found) raise(each);
          for (const each of surplus) reportSurplus(each);
          noteFields(after, position);
          onProgress(position, found);
        },
      },
    });
    thread = running;
    try {
      const reached = await running.request('verify', { logPath, after, fieldsAfter: fields.position });
      noteFields(after, reached);
      return reached;
    } finally {
      thread = undefined;
      if (!isStopped) await running.stop();
    }
  }

  function raise(found: FoundBreak): void {
    const fault = found.isAltered ? logAltered(logPath, found) : logBroken(logPath, found);
    const { code, subject = '' } = fault;
    const subjects = raised.get(code) ?? new Set();
    if (subjects.has(subject) || raisedInPass >= MAX_FAULTS) return;
    raisedInPass += 1;
    raised.set(code, subjects.add(subject));
    faults.raise(fault);
  }

  function reportSurplus(found: SurplusField): void {
    const fault = surplusField(found);
    if (fields.reported.includes(fault.subject) || fields.reported.length >= MAX_SURPLUS_FIELDS) return;
    fields = { ...fields, reported: [...fields.reported, fault.subject] };
    faults.raise(fault);
  }

  /** A pass that begins after events which were not searched does not search them. */
  function noteFields(after: number, reached: number): void {
    if (after <= fields.position && reached > fields.position) fields = { ...fields, position: reached };
  }

  function clearAll(): void {
    for (const [code, subjects] of raised) for (const subject of subjects) faults.clear(code, subject);
    raised.clear();
  }

  function note(next: VerifiedMark): void {
    mark = { ...next, fields };
    file ??= new MarkFile<VerifiedMark>(markPath);
    file.note(mark);
  }

  return {
    start() {
      if (!isStopped) timer = setTimeout(runPass, timing.firstAfterMs).unref();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await thread?.terminate();
      file?.close();
    },
  };
}

const logAltered = (name: string, found: FoundBreak) => ({
  code: 'log_altered',
  subject: found.stream,
  cause: `${describeBreak(name, found)} What svc made of it may be wrong.`,
  remedy: 'Check the disk, stop svc and restore the log from a backup. The fault is over once the whole log is intact.',
});

const surplusField = ({ type, version, field, position }: SurplusField) => ({
  code: 'surplus_fields',
  subject: `${type}.${field}`,
  cause:
    field === 'metadata.metadataVersion'
      ? `Events have metadata of a later version than svc knows, first at position ${position}. What is new in it has no effect.`
      : `Events "${type}" of version ${version} have a field "${field}" that svc does not know, first at position ${position}. ` +
        'It is kept in the log and has no effect.',
  remedy: 'If a newer version of svc wrote it, start that one; otherwise there is nothing to do. It is reported once.',
});
