import { openArchivingNode } from './sharedArchiveStage.ts';

// A process that archives days of EventStoreDB, and says when it begins and when it has ended.

const [url = '', folder = '', until = ''] = process.argv.slice(2);
const node = await openArchivingNode(url, folder, 'child');
process.stdout.write('begins\n');
await node.archive(until);
process.stdout.write('ended\n');
await node.close();
