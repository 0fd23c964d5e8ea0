/** Reads a session's brief. Values of rows keep the text that was received. */
import type { Brief, CardHead } from '../model/brief.ts';
import { briefShape, cardHeadShape, flagCodes } from '../model/brief.ts';
import type { JsonText } from '../model/json.ts';
import { readerOf } from './read-noun.ts';

const readSent = readerOf(briefShape);

/** Reads a brief. @throws SyntaxError for an invalid response */
export function readBrief(json: JsonText): Brief {
  const brief = readSent(json);
  // a newer daemon may know other flags
  return { ...brief, flags: brief.flags.filter(({ code }) => flagCodes.includes(code)) };
}

const readHead = readerOf(cardHeadShape);

/** A brief, and the proposal that it is of. */
export interface Card extends CardHead {
  readonly brief: Brief;
}

/** Reads a card. @throws SyntaxError for an invalid response */
export function readCard(json: JsonText): Card {
  return { ...readHead(json), brief: readBrief(json) };
}

/** Errors of a service that is older, of a very large diff, and of a busy service. */
const reasons = new Set(['not_found', 'took_too_long', 'busy']);

/**
 * Returns whether a diff is shown without its brief, because reading the brief failed with this error code. Other errors concern the diff,
 * too.
 */
// guard: a diff is shown without a brief that cannot be read
export const isLeftOut = (code: string): boolean => reasons.has(code);
