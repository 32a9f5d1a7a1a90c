// Preloaded into a service (`node --import`): takes all file descriptors while the file TAKE_DESCRIPTORS exists.
import { closeSync, openSync, statSync } from 'node:fs';

const taken = [];

function takeAll() {
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {}
}

setInterval(() => {
  // Needs no descriptor.
  if (statSync(process.env.TAKE_DESCRIPTORS, { throwIfNoEntry: false })) takeAll();
  else for (const descriptor of taken.splice(0)) closeSync(descriptor);
}, 5).unref();
