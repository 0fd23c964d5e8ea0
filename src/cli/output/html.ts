/** HTML that is safe by construction: only the source of this program contains markup; everything else is text. */
import { sanitize } from '../../client/sanitize.ts';

/** Markup, which only the tag below makes from templates. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Html[];

/** Builds HTML from a template. Inserted texts are escaped, and markup is not. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const texts = parts.map((part, index) => textOf(part) + (fixed[index + 1] ?? ''));
  return new Html((fixed[0] ?? '') + texts.join(''));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part !== 'object') return escapeText(String(part));
  return part.map(({ text }) => text).join('');
}

/** Escapes text between tags and in quoted attributes. Characters that could act on a reader or deceive one become visible escapes. */
function escapeText(text: string): string {
  // guard: values are no markup
  return sanitize(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
