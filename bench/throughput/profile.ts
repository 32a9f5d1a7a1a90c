import { readFileSync } from 'node:fs';

/** The fields of V8's .cpuprofile that are read. Times are microseconds of the machine's monotonic clock. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

export type Group = 'svc' | 'koa' | 'undici' | 'other packages' | 'node' | 'native' | 'garbage collector';

/** Time in one function, without the functions that it calls. */
export interface SelfTime {
  readonly group: Group;
  readonly name: string;
  us: number;
}

/** Self time by function between two instants of the monotonic clock, most expensive first, without idle time. */
export function selfTimes(file: string, fromUs: number, untilUs: number): SelfTime[] {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const functions = new Map<string, SelfTime>();
  let now = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const spent = profile.timeDeltas[index + 1] ?? 0; // a sample lasts until the next one
    now += profile.timeDeltas[index] ?? 0;
    const frame = nodes.get(id);
    if (now < fromUs || now > untilUs || frame === undefined || frame.functionName === '(idle)') continue;
    const group = groupOf(frame);
    const name = nameOf(frame);
    const entry = functions.get(`${group} ${name}`) ?? { group, name, us: 0 };
    entry.us += spent;
    functions.set(`${group} ${name}`, entry);
  }
  return [...functions.values()].sort((a, b) => b.us - a.us);
}

function groupOf({ functionName, url }: ProfileNode['callFrame']): Group {
  if (functionName === '(garbage collector)') return 'garbage collector';
  if (url === '') return 'native';
  if (url.startsWith('wasm:')) return 'undici'; // its HTTP parser, the only WebAssembly here
  if (url.startsWith('node:')) return 'node';
  const found = url.match(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/)?.[1];
  if (found === undefined) return 'svc';
  if (found === 'undici') return 'undici';
  return /koa|^co$|^co-/.test(found) ? 'koa' : 'other packages';
}

function nameOf({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
  const name = functionName || '(anonymous)';
  if (url === '') return name;
  const place = url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/node_modules\//, '')
    .replace(/^.*\/(src|projections|bench)\//, '$1/');
  return `${place}:${lineNumber + 1} ${name}`;
}
