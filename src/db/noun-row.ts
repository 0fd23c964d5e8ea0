/** Reads nouns from rows whose columns are named like the nouns' properties, in snake case. */
import { JsonText } from '../model/json.ts';
import type { Form, Noun, Shape } from '../model/shape.ts';
import { columnOf } from '../model/shape.ts';
import type { Row } from './database.ts';

/** Returns the reader of a noun. Lists arrive as JSON, everything else as PostgreSQL's text of it. */
export const rowReaderOf =
  <S extends Shape>({ members }: S) =>
  (row: Row): Noun<S> => {
    const values = Object.entries(members).map(([property, { form }]) => {
      const text = row[columnOf(property)] ?? null;
      return [property, text === null ? null : valueIn(text, form)] as const;
    });
    return Object.fromEntries(values) as Noun<S>;
  };

function valueIn(text: string, form: Form): unknown {
  if (form.is === 'count' || form.is === 'integer') return Number(text);
  if (form.is === 'json') return new JsonText(text);
  return form.is === 'list' ? JSON.parse(text) : text;
}
