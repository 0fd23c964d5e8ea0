/** Reads what people say about a session, and what happened to it. All raise SyntaxError for an answer that is not what it should be. */
import type { Event } from '../model/event.ts';
import { eventKinds } from '../model/event.ts';
import { JsonText } from '../model/json.ts';
import { Fields } from './fields.ts';

export interface Comment {
  readonly id: string;
  /** `comment`, or what was done with the words. */
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
  /** A key as JSON. */
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
