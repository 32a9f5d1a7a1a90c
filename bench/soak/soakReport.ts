import type { ScrapedMetrics } from './scrapeMetrics.ts';

/** A scrape, and what was going on. */
export interface Sample extends ScrapedMetrics {
  /** Seconds since the start of the soak, and of the process. */
  readonly at: number;
  readonly age: number;
  readonly pid: number;
  readonly fault: string | undefined;
  readonly served: number;
  readonly others: number;
}

/** The first seconds of a process are left out: it compiles, and fills its buffers. */
const WARM_UP_S = 60;
/** Less than that says nothing about growth. */
const MIN_LIFE_S = 150;
/** A quarter more in the last third of a life than in the second one, and more than that many MB, is growth. */
const MAX_GROWTH = 1.25;
const MIN_GROWTH_MB = 25;
/** Descriptors at rest may differ by that many: connections of the provider, of EventStoreDB and of readers come and go. */
const MAX_DESCRIPTORS_MORE = 12;

const lagOf = ({ lag }: Sample): number => Math.max(...Object.values(lag));
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const shown = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** One line of what was seen. */
export function sampleLine(sample: Sample): string {
  const { at, residentMb, anonymousMb, heapMb, descriptors, loopP99Ms, lag, served, others, fault } = sample;
  const lags = Object.entries(lag).map(([name, events]) => `${name} ${events}`);
  return [
    `${String(Math.round(at)).padStart(5)} s`,
    `rss ${shown(residentMb)} MB (anonymous ${shown(anonymousMb)}, heap ${shown(heapMb)})`,
    `fd ${descriptors}`,
    `loop p99 ${shown(loopP99Ms)} ms`,
    `lag ${lags.join(', ')}`,
    `${served} served, ${others} not`,
    fault ?? '',
  ].join('  ');
}

export interface SoakReport {
  readonly lines: readonly string[];
  /** What is not flat. */
  readonly findings: readonly string[];
}

/** Says whether memory, descriptors and lag were flat, for each process that ran long enough. */
export function reportOf(samples: readonly Sample[]): SoakReport {
  const [lines, findings]: [string[], string[]] = [[], []];
  for (const [pid, all] of Map.groupBy(samples, (sample) => sample.pid)) {
    const life = all.filter(({ age }) => age >= WARM_UP_S);
    const seconds = Math.round(all.at(-1)?.age ?? 0);
    if (seconds < MIN_LIFE_S || life.length < 6) continue;
    const third = Math.ceil(life.length / 3);
    const memory = [0, 1, 2].map((part) =>
      life.slice(part * third, (part + 1) * third).map((each) => each.anonymousMb),
    );
    const [first = 0, middle = 0, last = 0] = memory.map(median);
    const calm = life.filter(({ fault }) => fault === undefined);
    const descriptors = calm.map((each) => each.descriptors);
    const [fewest, most] = [Math.min(...descriptors), Math.max(...descriptors)];
    const lags = calm.map(lagOf);
    lines.push(
      `process ${pid}, ${seconds} s: anonymous memory by thirds ${[first, middle, last].map(shown).join(', ')} MB; ` +
        `descriptors at rest ${fewest} to ${most}; lag at rest: median ${median(lags)}, most ${Math.max(...lags)} events`,
    );
    if (last > middle * MAX_GROWTH && last - middle > MIN_GROWTH_MB)
      findings.push(`memory grew from ${shown(middle)} to ${shown(last)} MB`);
    const begun = median(descriptors.slice(0, third));
    const ended = median(descriptors.slice(-third));
    if (ended > begun + MAX_DESCRIPTORS_MORE) findings.push(`descriptors grew from ${begun} to ${ended}`);
  }
  return { lines, findings };
}
