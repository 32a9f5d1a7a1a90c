// Runs in the page. Figures are as wide as each other wherever there are any, so that columns line up and what counts does
// not tremble; a time that is told relative to now says when exactly on hover.
(() => {
  const wrong = new Set();
  let looked = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (!/\d/.test(data) || !parentElement.checkVisibility() || parentElement.closest('script, style, noscript'))
      continue;
    looked++;
    const { fontVariantNumeric, fontFamily } = getComputedStyle(parentElement);
    if (!/tabular-nums/.test(fontVariantNumeric) && !/monospace/.test(fontFamily)) wrong.add(`uneven: ${data.trim()}`);
  }
  for (const time of document.querySelectorAll('time')) {
    looked++;
    if (!/\d{4}, \d\d:\d\d:\d\d \S+$/.test(time.title)) wrong.add(`not exact: ${time.textContent}`);
    if (Number.isNaN(Date.parse(time.dateTime))) wrong.add(`for no machine: ${time.textContent}`);
  }
  return { looked, wrong: [...wrong] };
})();
