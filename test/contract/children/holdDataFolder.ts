import { writeSync } from 'node:fs';
import { openDataFolder } from '../../../src/dataFolder/dataFolder.ts';

// Locks a data folder, reports it, and keeps the lock until it is killed.

const folder = openDataFolder(process.argv[2] ?? '');
writeSync(1, 'locked\n');
// Uses the folder: one that nothing refers to may be collected, which ends its lock.
setInterval(() => folder.renewLock(), 60_000);
