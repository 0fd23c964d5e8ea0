/** A login of the review page: a one-time link that nobody has used, or a browser. */
import type { Noun } from './shape.ts';
import { shape, text, time, word } from './shape.ts';

export const loginShape = shape({
  name: text('Name of the token that it stands for'),
  kind: word(['link', 'browser'], 'An unused link, or a browser'),
  expiresAt: time(),
});

export type PageLogin = Noun<typeof loginShape>;
