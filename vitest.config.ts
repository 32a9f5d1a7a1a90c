import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { COMPILED } from './test/support/compiled.ts';
import { LongestFirst } from './test/support/longestFirst.ts';
import { thoroughness } from './test/support/runs.ts';

// `*.unit.test.ts`    one module, no I/O beyond a temporary file
// `*.int.test.ts`     several modules in this process: HTTP over loopback, SQLite, the fake EventStoreDB
// `*.system.test.ts`  other processes: services that are killed, browsers, database servers; long loops and waits
// `*.e2e.test.ts`     the real clients
// `npm test` runs the first two, `npm run test:system` the others.
const files = (kind: 'unit' | 'int' | 'system' | 'e2e') => [
  `{src,projections,test,dashboard/src}/**/*.${kind}.test.ts`,
];

// Each worker waits half of the time (streams, disks, browsers): one per core would leave a core idle.
const WORKERS = Math.max(4, availableParallelism());

/** The worker threads of a test process serve one test after another. */
const KEEP_THREADS = ['test/support/threads/keepThreads.ts'];

export default defineConfig({
  test: {
    // Not threads: undici's parser is WebAssembly, and V8 aborts the process (`jit_page.has_value()`) now and then when
    // many threads that use it start and end.
    pool: 'forks',
    maxWorkers: WORKERS,
    // Node runs the tests the way it runs the service: it strips the types and bundles nothing.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    env: { NODE_COMPILE_CACHE: COMPILED },
    sequence: { sequencer: LongestFirst },
    // A stall of a shared machine must not hide the other results of a run. `.ci/run` names every test that needed its
    // second attempt: it is a race that has to be fixed.
    retry: process.env.CI === 'true' ? 1 : 0,
    // Every test ends what it starts, so files share a process and its modules. Isolation costs 1.4 s CPU per file.
    isolate: false,
    testTimeout: 20_000 * Math.max(1, thoroughness),
    hookTimeout: 20_000,
    projects: [
      { extends: true, test: { name: 'unit', include: files('unit'), setupFiles: KEEP_THREADS } },
      { extends: true, test: { name: 'int', include: files('int'), setupFiles: KEEP_THREADS } },
      {
        extends: true,
        test: {
          name: 'system',
          include: files('system'),
          setupFiles: KEEP_THREADS,
          globalSetup: ['test/support/dashboard/built.ts', 'test/support/compiledService.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: files('e2e'),
          globalSetup: ['test/support/dashboard/built.ts', 'test/e2e/support/globalSetup.ts'],
          sequence: { groupOrder: 2 },
          isolate: true,
          // A test starts four processes beside its worker: with more than two files at a time they slow one another down.
          maxWorkers: 2,
          // Above every bound in test/e2e/support, so that the bound reports what hung.
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
