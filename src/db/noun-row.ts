/** Reads nouns from rows whose columns are named like the nouns' properties, in snake case. */
import { JsonText } from '../model/json.ts';
import type { Form, Noun, Shape } from '../model/shape.ts';
import type { Row } from './database.ts';

/** Returns the reader of a noun. Lists arrive as JSON, everything else as PostgreSQL's text of it. */
export const rowReaderOf =
  <S extends Shape>({ entries }: S) =>
  (row: Row): Noun<S> => {
    const values = entries.map(({ property, column, field }) => {
      const text = row[column] ?? null;
      return [property, text === null ? null : valueIn(text, field.form)] as const;
    });
    return Object.fromEntries(values) as Noun<S>;
  };

function valueIn(text: string, form: Form): unknown {
  if (form.is === 'count' || form.is === 'integer') return Number(text);
  if (form.is === 'flag') return text === 't';
  if (form.is === 'json') return new JsonText(text);
  return form.is === 'list' ? JSON.parse(text) : text;
}
