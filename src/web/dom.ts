/** Creates elements without markup: a text never becomes HTML. */
/// <reference lib="dom" />
import { sanitize } from '../client/sanitize.ts';

export type Child = Node | string | null;

type Props = Readonly<Record<string, string | boolean | ((event: Event) => void)>>;

/** Creates an element. A function is a listener of that event, `true` an attribute without a value, `false` no attribute. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? '' : sanitize(value));
  }
  element.append(...shown(children));
  return element;
}

/** Shows control and bidirectional characters as visible escapes. */
function shown(children: readonly Child[]): (Node | string)[] {
  // guard: texts in the page do not deceive
  const made = children.map((child) => (typeof child === 'string' ? sanitize(child) : child));
  return made.filter((child) => child !== null);
}

/** Creates a quote with line breaks. */
export function lines(text: string): HTMLQuoteElement {
  const parts = text.split(/\r?\n/).flatMap((line) => [h('br'), line]);
  return h('blockquote', {}, ...parts.slice(1));
}

/** Replaces the children of a region. The rest of the page keeps its focus. */
export function fill(region: Element, ...children: readonly Child[]): void {
  region.replaceChildren(...shown(children));
}

export function button(label: string, onClick: () => void, props: Props = {}): HTMLButtonElement {
  return h('button', { type: 'button', click: onClick, ...props }, label);
}

/** Formats a count with its noun: `1 row`, `2 rows`. */
export const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

/** Creates a time to the minute, with the full time in its title. */
export function timeOf(iso: string): HTMLTimeElement {
  const short = iso.slice(0, 16).replace('T', ' ');
  return h('time', { datetime: iso, title: iso }, short);
}
