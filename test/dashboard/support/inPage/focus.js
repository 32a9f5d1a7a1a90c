// Runs in the page. A control with the focus has an outline, or something around it has, of 2 px at least and with a
// contrast of 3:1 to what it is drawn on (WCAG 2.2, 1.4.11 and 2.4.7).
(() => {
  const MIN_PX = 2;
  const MIN_CONTRAST = 3;
  const CONTROLS =
    'a[href], button, input, select, textarea, summary, [role=menuitem], [role=radio], [tabindex]:not([tabindex="-1"])';
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });

  /** Paints one colour over the other, whatever way they are written. */
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

  function faultOf(element) {
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
  const isSeen = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest('.visually-hidden, .skip, [inert], [aria-hidden=true]') &&
    element.getBoundingClientRect().width > 1;
  const nameOf = (element) =>
    `${element.tagName.toLowerCase()} "${(element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent ?? '').trim().slice(0, 40)}"`;

  // What lies over the page keeps the focus to itself.
  const root = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')].at(-1) ?? document;
  // Lists that leave the focus in their field mark where they are.
  const marked = [...document.querySelectorAll('.popup-item[data-highlighted], .palette-item[data-selected]')];
  const wrong = new Set();
  let looked = 0;
  const look = (element) => {
    looked++;
    const fault = faultOf(element);
    if (fault) wrong.add(`${nameOf(element)} ${fault}`);
  };
  marked.filter(isSeen).forEach(look);
  for (const element of [...root.querySelectorAll(CONTROLS)].filter(isSeen)) {
    element.focus({ preventScroll: true });
    if (document.activeElement === element) look(element);
  }
  return { looked, wrong: [...wrong] };
})();
