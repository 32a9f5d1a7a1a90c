// Runs in the page. A focused control, or an element around it, has an outline of at least 2 px with a contrast of 3:1 to
// its background (WCAG 2.2, 1.4.11 and 2.4.7).
(() => {
  const MIN_PX = 2;
  const MIN_CONTRAST = 3;
  const CONTROLS =
    'a[href], button, input, select, textarea, summary, [role=menuitem], [role=radio], [tabindex]:not([tabindex="-1"])';
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });

  /** Blends the colours in this order, in any CSS notation. */
  function over(colors) {
    canvas.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data];
  }
  const chain = (element) => (element ? [...chain(element.parentElement), element] : []);
  const backgrounds = (element) => ['Canvas', ...chain(element).map((each) => getComputedStyle(each).backgroundColor)];
  function luminance([r, g, b]) {
    const [x, y, z] = [r, g, b].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  }
  function contrast(a, b) {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  }

  function problemOf(element) {
    const outlined = chain(element)
      .slice(-3)
      .findLast((each) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(each);
        return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= MIN_PX;
      });
    if (!outlined) return 'has no outline';
    const { outlineColor, outlineOffset } = getComputedStyle(outlined);
    const under = backgrounds(Number.parseFloat(outlineOffset) < 0 ? outlined : outlined.parentElement);
    const found = contrast(over([...under, outlineColor]), over(under));
    return found < MIN_CONTRAST ? `has an outline of ${found.toFixed(1)}:1` : undefined;
  }
  const isVisible = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest('.visually-hidden, .skip, [inert], [aria-hidden=true]') &&
    element.getBoundingClientRect().width > 1;
  const nameOf = (element) =>
    `${element.tagName.toLowerCase()} "${(element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent ?? '').trim().slice(0, 40)}"`;

  // Dialogs and menus trap the focus.
  const root = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')].at(-1) ?? document;
  // Lists that keep the focus in their input mark the current item instead.
  const marked = [...document.querySelectorAll('.popup-item[data-highlighted], .palette-item[data-selected]')];
  const problems = new Set();
  let examined = 0;
  const examine = (element) => {
    examined++;
    const problem = problemOf(element);
    if (problem) problems.add(`${nameOf(element)} ${problem}`);
  };
  marked.filter(isVisible).forEach(examine);
  for (const element of [...root.querySelectorAll(CONTROLS)].filter(isVisible)) {
    element.focus({ preventScroll: true });
    if (document.activeElement === element) examine(element);
  }
  return { examined, problems: [...problems] };
})();
