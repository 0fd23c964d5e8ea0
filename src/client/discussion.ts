/** Reads comments and events of a session. Every reader throws SyntaxError for an invalid response. */
import type { Event } from '../model/event.ts';
import { commentShape, eventShape } from '../model/event.ts';
import type { JsonText } from '../model/json.ts';
import { readerOf } from './read-noun.ts';

export interface NewComment {
  readonly body: string;
  readonly table?: string | undefined;
  /** The key of a row as JSON. */
  readonly rowId?: JsonText | undefined;
}

export const readComment = readerOf(commentShape);

const readNumbered = readerOf(eventShape);

export const readEvent = (sessionId: string, json: JsonText): Event => ({
  sessionId,
  ...readNumbered(json),
});
