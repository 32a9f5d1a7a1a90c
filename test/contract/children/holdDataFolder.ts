import { writeSync } from 'node:fs';
import { openDataFolder } from '../../../src/dataFolder/dataFolder.ts';

// Locks a data folder, reports it, and keeps the lock until it is killed.

openDataFolder(process.argv[2] ?? '');
writeSync(1, 'locked\n');
setInterval(() => {}, 60_000);
