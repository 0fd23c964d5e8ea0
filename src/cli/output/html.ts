/** HTML that is safe by construction: only what stands in the source of this program is markup, all else is text. */
import { sanitize } from '../../client/sanitize.ts';

/** Markup. Nothing but the tag below makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Html[];

/** The tag of templates: texts that are put in are escaped, markup stays what it is. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const texts = parts.map((part, index) => textOf(part) + (fixed[index + 1] ?? ''));
  return new Html((fixed[0] ?? '') + texts.join(''));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part !== 'object') return escapeText(String(part));
  return part.map(({ text }) => text).join('');
}

/** Safe between tags and in quoted attributes; what could act on or deceive a reader stands as a visible escape. */
function escapeText(text: string): string {
  // guard: values are no markup
  return sanitize(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
