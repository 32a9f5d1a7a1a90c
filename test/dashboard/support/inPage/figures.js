// Runs in the page. All digits have the same width, so that columns line up and counters do not jitter; relative times show
// the exact time on hover.
(() => {
  const problems = new Set();
  let examined = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (!/\d/.test(data) || !parentElement.checkVisibility() || parentElement.closest('script, style, noscript'))
      continue;
    examined++;
    const { fontVariantNumeric, fontFamily } = getComputedStyle(parentElement);
    if (!/tabular-nums/.test(fontVariantNumeric) && !/monospace/.test(fontFamily))
      problems.add(`uneven: ${data.trim()}`);
  }
  for (const time of document.querySelectorAll('time')) {
    examined++;
    if (!/\d{4}, \d\d:\d\d:\d\d \S+$/.test(time.title)) problems.add(`not exact: ${time.textContent}`);
    if (Number.isNaN(Date.parse(time.dateTime))) problems.add(`no valid datetime: ${time.textContent}`);
  }
  return { examined, problems: [...problems] };
})();
