/** Reads comments and events of a session. Every reader throws SyntaxError for an invalid response. */
import type { Event } from '../model/event.ts';
import { eventKinds } from '../model/event.ts';
import { JsonText } from '../model/json.ts';
import { Fields } from './fields.ts';

export interface Comment {
  readonly id: string;
  /** `comment`, or the action that the text came with. */
  readonly kind: string;
  readonly body: string;
  readonly table: string | null;
  /** The key of a row as JSON. */
  readonly rowId: JsonText | null;
  readonly at: string;
  readonly by: string | null;
}

export interface NewComment {
  readonly body: string;
  readonly table?: string | undefined;
  /** The key of a row as JSON. */
  readonly rowId?: JsonText | undefined;
}

export function readComment(json: JsonText): Comment {
  const fields = new Fields(json);
  return {
    id: fields.required('id'),
    kind: fields.text('kind') ?? 'comment',
    body: fields.required('body'),
    table: fields.text('table'),
    rowId: fields.json('row_id'),
    at: fields.required('at'),
    by: fields.text('by'),
  };
}

export function readEvent(sessionId: string, json: JsonText): Event {
  const fields = new Fields(json);
  const name = fields.required('kind');
  const kind = eventKinds.find((each) => each === name);
  if (kind === undefined) throw new SyntaxError(`${name} is no kind of event that is known here`);
  return {
    number: fields.required('number'),
    sessionId,
    kind,
    at: fields.required('at'),
    by: fields.text('by'),
    body: fields.json('body') ?? new JsonText('{}'),
  };
}
