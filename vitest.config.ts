import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { COMPILED } from './test/support/compiled.ts';
import { LongestFirst } from './test/support/longestFirst.ts';
import { thoroughness } from './test/support/runs.ts';

const files = (kind: 'unit' | 'int') => [`{src,projections,test,dashboard/src}/**/*.${kind}.test.ts`];

export default defineConfig({
  test: {
    // Not threads: undici's parser is WebAssembly, and V8 aborts the whole process (`jit_page.has_value()`) now and
    // then when many threads that use it come and go.
    pool: 'forks',
    // Vitest's own choice leaves a core unused, and these tests wait (for streams, disks, browsers) half of the time.
    maxWorkers: Math.max(4, availableParallelism()),
    // Node runs the tests as it runs the service: it strips the types, and nothing is bundled.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    env: { NODE_COMPILE_CACHE: COMPILED },
    sequence: { sequencer: LongestFirst },
    // A hiccup of a machine that others use too must not hide what a whole run found. Whatever needs its second attempt is
    // named in the last lines of `.ci/run`: it is a race, and to be mended.
    retry: process.env.CI === 'true' ? 1 : 0,
    // A test ends what it starts, so files share a process and what it has imported: that is 1.4 s CPU for each of them.
    isolate: false,
    testTimeout: 20_000 * Math.max(1, thoroughness),
    hookTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'int',
          include: files('int'),
          globalSetup: ['test/support/dashboard/built.ts', 'test/support/compiledService.ts'],
        },
      },
      { extends: true, test: { name: 'unit', include: files('unit') } },
    ],
  },
});
