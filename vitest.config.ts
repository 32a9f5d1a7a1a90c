import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,projections,test,dashboard/src}/**/*.{unit,int}.test.ts'],
    globalSetup: 'test/support/dashboard/built.ts',
    // Not threads: undici's parser is WebAssembly, and V8 aborts the whole process (`jit_page.has_value()`) now and
    // then when many threads that use it come and go.
    pool: 'forks',
    // Vitest's own choice leaves a core unused, and these tests wait (for streams, disks, browsers) half of the time.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
