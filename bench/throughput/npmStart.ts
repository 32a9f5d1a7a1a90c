import { readFileSync } from 'node:fs';

const words = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).scripts.start as string
).split(' ');

/** The options that `npm start` gives to Node. */
export const NODE_OPTIONS: readonly string[] = words.filter((word) => word.startsWith('--'));

/** The heaps of the C library that `npm start` lets threads share. */
export const MALLOC_ENVIRONMENT = {
  MALLOC_ARENA_MAX: /^MALLOC_ARENA_MAX=.*:-(\d+)\}$/.exec(words[0] ?? '')?.[1] ?? missing(),
};

function missing(): never {
  throw new Error('npm start sets no MALLOC_ARENA_MAX any more: correct bench/throughput/npmStart.ts');
}
