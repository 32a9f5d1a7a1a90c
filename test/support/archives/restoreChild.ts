import { join } from 'node:path';
import { restoreDay } from '../../../src/archive/restoreDay.ts';
import { withArchiveHost } from './archiveFolder.ts';

// A process that restores a day of a folder, and says when it begins.

const [, , folder = '', what = ''] = process.argv;
process.stdout.write('begins\n');
await withArchiveHost(folder, (host) => restoreDay({ host, folder: join(folder, 'archives'), what }));
