import { describe, expect, it } from 'vitest';
import { SlotSet } from './slotSet.ts';

const entry = (name: string) => ({ name, slot: -1 });

describe('SlotSet', () => {
  it('contains each entry that was added and not deleted once', () => {
    const set = new SlotSet<ReturnType<typeof entry>>();
    const [first, second, third] = [entry('first'), entry('second'), entry('third')];
    for (const each of [first, second, second, third]) set.add(each);
    set.delete(second);
    set.delete(second);
    expect(set.size).toBe(2);
    expect(set.values()).toEqual([first, third]);
  });

  it('reuses the slot of a deleted entry', () => {
    const set = new SlotSet<ReturnType<typeof entry>>();
    const [first, second, third] = [entry('first'), entry('second'), entry('third')];
    set.add(first);
    set.add(second);
    set.delete(first);
    set.add(third);
    expect(third.slot).toBe(0);
    expect(set.values()).toEqual([third, second]);
  });

  it('can be changed while its entries are iterated', () => {
    const set = new SlotSet<ReturnType<typeof entry>>();
    for (const name of ['first', 'second', 'third']) set.add(entry(name));
    for (const each of set.values()) set.delete(each);
    expect(set.size).toBe(0);
    expect(set.values()).toEqual([]);
  });
});
