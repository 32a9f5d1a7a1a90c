import type { Db } from 'mongodb';
import { type Fence, Generations } from '../../../src/readModels/mongo/generations.ts';

/** Who may write to the generation of read models that is read; undefined before anybody began it. */
export async function fenceIn(db: Db): Promise<Fence | undefined> {
  const ending = `.g${await new Generations(db).active()}`;
  const checkpoints = await db.collection('readModels.checkpoints').find().toArray();
  return checkpoints.find(({ _id }) => String(_id).endsWith(ending))?.fence;
}
