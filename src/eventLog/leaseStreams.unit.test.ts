import { describeLeaseStreams } from '../../test/contract/leaseStreams.ts';
import { memoryLeaseStreams } from '../../test/contract/memoryLeaseStreams.ts';

// The stand-in that the tests of leases run over keeps to the same contract as the store.
describeLeaseStreams('memory', async () => ({
  leases: memoryLeaseStreams().reachedBy(),
  [Symbol.asyncDispose]: async () => undefined,
}));
