type Child = Node | string | undefined | false;
type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Creates an element. Text becomes text nodes, never markup. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(attribute, '');
    else if (typeof value === 'string') element.setAttribute(attribute, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

export function button(label: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = h('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', onClick);
  return element;
}

/** Characters that would change how other text is shown: control characters, directions of writing, invisible ones. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be shown.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text of an event, in which characters that cannot be seen are written as `\u202e`. */
export const visible = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The beginning of a text that may be long. */
export const shortened = (text: string, length: number): string => {
  const shown = visible(text.slice(0, length));
  return text.length > length ? `${shown}…` : shown;
};

export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
