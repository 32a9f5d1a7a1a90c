import { archiveFolder } from './archiveFolder.ts';

// A process that archives a folder, and says when it begins.

process.stdout.write('begins\n');
await archiveFolder(process.argv[2] as string);
