// Runs in the page. Nothing leaves its card, and the actions of a row are in the window without scrolling sideways.
(() => {
  const problems = new Set();
  let examined = 0;
  const scrolls = (element) => getComputedStyle(element).overflowX !== 'visible';
  /** The nearest element around it that cuts off what is wider. */
  const frameOf = (element) => {
    let frame = element.parentElement;
    while (frame && !frame.classList.contains('card') && !scrolls(frame)) frame = frame.parentElement;
    return frame;
  };
  const nameOf = (element) => (element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 60);
  const edgeOf = (element) => element.getBoundingClientRect().right;
  for (const element of document.querySelectorAll('.card :is(a, button, span, strong, td, [role=meter])')) {
    const frame = frameOf(element);
    if (!element.checkVisibility() || !frame?.classList.contains('card') || scrolls(frame)) continue;
    if (getComputedStyle(element).position === 'absolute') continue;
    examined++;
    if (edgeOf(element) > edgeOf(frame) + 1) problems.add(`leaves its card: ${nameOf(element)}`);
  }
  for (const element of document.querySelectorAll('tr :is(td.end, th) :is(a, button):not(thead *)')) {
    if (!element.checkVisibility()) continue;
    examined++;
    const edge = Math.min(innerWidth, edgeOf(frameOf(element.closest('td, th'))));
    if (edgeOf(element) > edge) problems.add(`out of reach: ${nameOf(element)}`);
  }
  return { examined, problems: [...problems] };
})();
