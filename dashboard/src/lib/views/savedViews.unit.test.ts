import { expect, test } from 'vitest';
import { MAX_NAME, MAX_VIEWS, nameProblem, parseViews, viewQueryOf, withView } from './savedViews.ts';

test('a view is what is shown, not what is opened or at which moment', () => {
  const query = new URLSearchParams('request=req_1&status=500&model=b&model=a&at=12');
  expect(viewQueryOf(query)).toBe('model=b&model=a&status=500');
  expect(viewQueryOf(new URLSearchParams('status=500&model=b&model=a'))).toBe('model=b&model=a&status=500');
});

test('keeps views by name, and replaces the one of the same name', () => {
  const views = withView(withView([], { name: 'slow', query: 'a=1' }), { name: 'errors', query: 'b=1' });
  expect(views.map(({ name }) => name)).toEqual(['errors', 'slow']);
  expect(withView(views, { name: 'slow', query: 'c=1' })).toEqual([
    { name: 'errors', query: 'b=1' },
    { name: 'slow', query: 'c=1' },
  ]);
});

test('says why a name cannot be used', () => {
  const full = Array.from({ length: MAX_VIEWS }, (_, index) => ({ name: `view ${index}`, query: '' }));
  expect(nameProblem(full.slice(1), 'new')).toBeUndefined();
  expect(nameProblem(full, 'view 3')).toBeUndefined();
  expect(nameProblem(full, 'new')).toContain('Delete one first');
  expect(nameProblem([], 'x'.repeat(MAX_NAME + 1))).toContain('at most 60 characters');
});

test.each([
  ['nothing', null],
  ['text', 'no JSON'],
  ['an object', '{"name": "a", "query": ""}'],
  ['other values', '[null, 1, "a", {"name": "a"}, {"name": " ", "query": ""}]'],
])('reads no views from %s', (_, text) => {
  expect(parseViews(text)).toEqual([]);
});

test('reads what it has written', () => {
  const views = [{ name: 'errors', query: 'status=500' }];
  expect(parseViews(JSON.stringify(views))).toEqual(views);
});
