/** Messages of a client, each with a description. */
import { b, c, d, data, done, e, h, p, q, s } from '../../helpers/wire-script.ts';

/** A message with its description, for people. */
export interface Said {
  readonly words: string;
  readonly bytes: Buffer;
}

const say = (words: string, bytes: Buffer): Said => ({ words, bytes });
export const query = (text: string) => say(`Query ${text}`, q(text));
export const parse = (text: string, name: string) => say(`Parse "${name}" ${text}`, p(text, name));
export const bind = (name: string, portal: string) =>
  say(`Bind "${name}" to portal "${portal}"`, b([], name, portal));
export const execute = (portal: string, rows = 0) =>
  say(`Execute "${portal}" ${rows}`, e(rows, portal));
export const close = (kind: 'statement' | 'portal', name: string) =>
  say(`Close ${kind} "${name}"`, c(kind, name));
export const describe = (kind: 'statement' | 'portal', name: string) =>
  say(`Describe ${kind} "${name}"`, d(kind, name));
export const sync = say('Sync', s);
export const flush = say('Flush', h);

/** Adds rows to a message that requests them: a server that does not request them drops them, and one that has accepts nothing else. */
export const withRows = ({ words, bytes }: Said): Said =>
  say(`${words}, CopyData, CopyDone`, Buffer.concat([bytes, data('copied\n'), done]));
