/** In the data folder: the signed notes, and the verifier key in text. */
export const CHECKPOINT_FILES = { notes: 'checkpoints.sqlite', publicKey: 'checkpoint.pub' } as const;
