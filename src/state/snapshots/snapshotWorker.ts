import { constants, setPriority } from 'node:os';
import { serveThread } from '../../lib/threads/serveThread.ts';
import type { SnapshotThread } from './keepSnapshots.ts';
import { makeSnapshot } from './makeSnapshot.ts';

// Program of a thread that makes one snapshot.

// Requests have priority. Only Linux applies this to the thread alone; elsewhere it would affect the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
await serveThread<SnapshotThread>(() => ({ requests: { makeSnapshot } }));
