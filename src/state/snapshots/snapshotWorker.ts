import { constants, setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { makeSnapshot, type SnapshotOutcome, type SnapshotTask } from './makeSnapshot.ts';

// A thread that makes one snapshot and ends.

// Requests go first. Linux alone takes this for the thread; elsewhere it would be the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
const tell = (outcome: SnapshotOutcome) => (parentPort as MessagePort).postMessage(outcome);
try {
  tell(makeSnapshot(workerData as SnapshotTask));
} catch (error) {
  tell({ kind: 'failed', reason: (error as Error).message });
}
