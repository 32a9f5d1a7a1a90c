import { serveThread } from '../lib/threads/serveThread.ts';
import { compareWithRebuilt } from '../readModels/sqlite/rebuild.ts';
import type { CompareThread } from './compareThread.ts';

// Program of a thread that rebuilds the read models in a temporary file and compares them.

await serveThread<CompareThread>(() => ({ requests: { compare: (files) => compareWithRebuilt(files) } }));
