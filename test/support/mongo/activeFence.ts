import type { Db } from 'mongodb';
import { type Fence, Generations } from '../../../src/readModels/mongo/generations.ts';

/** The fence of the active generation of read models: its current writer. Undefined before the first write. */
export async function activeFence(db: Db): Promise<Fence | undefined> {
  const ending = `.g${await new Generations(db).active()}`;
  const checkpoints = await db.collection('readModels.checkpoints').find().toArray();
  return checkpoints.find(({ _id }) => String(_id).endsWith(ending))?.fence;
}
