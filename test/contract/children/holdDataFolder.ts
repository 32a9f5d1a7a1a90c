import { writeSync } from 'node:fs';
import { openDataFolder } from '../../../src/dataFolder/dataFolder.ts';

// Takes a data folder, says so, and keeps it until it is killed.

openDataFolder(process.argv[2] ?? '');
writeSync(1, 'held\n');
setInterval(() => {}, 60_000);
