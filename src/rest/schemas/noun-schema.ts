/** Makes the schemas of nouns from their shapes. */
import { z } from 'zod';
import type { Field, Form, JsonForm, Shape } from '../../model/shape.ts';

const made = new WeakMap<Shape, z.ZodObject>();

/** Returns the schema of a noun: the same one for the same shape, so that the OpenAPI document refers to it by its name. */
export function schemaOf(shape: Shape): z.ZodObject {
  const known = made.get(shape);
  if (known) return known;
  const members = shape.entries.flatMap(({ member, field }) => {
    const schema = schemaOfField(field);
    const named = [member, schema] as const;
    return field.alias === undefined
      ? [named]
      : [named, [field.alias, schema.meta({ description: `The same as ${named[0]}` })] as const];
  });
  const object = z.object(Object.fromEntries(members));
  const schema = shape.id === undefined ? object : object.meta({ id: shape.id });
  made.set(shape, schema);
  return schema;
}

/** Returns the schema of a member. */
export function schemaOfField({ form, empty, beside, description }: Field): z.ZodType {
  const isAny = form.is === 'json' && form.holds === 'any';
  const nullable = empty === 'null' && !isAny ? schemaOfForm(form).nullable() : schemaOfForm(form);
  const isLeftOut = empty === 'left out' || beside !== undefined;
  const schema = isLeftOut ? nullable.optional() : nullable;
  return description === undefined ? schema : schema.meta({ description });
}

function schemaOfForm(form: Form): z.ZodType {
  switch (form.is) {
    case 'text':
      return form.pattern === undefined ? z.string() : z.string().regex(form.pattern);
    case 'time':
      return time;
    case 'count':
      return z.int().min(0);
    case 'integer':
      return z.int();
    case 'flag':
      return z.boolean();
    case 'mark':
      return z.literal(true);
    case 'word':
      return z.enum(form.words as readonly [string]);
    case 'json':
      return jsonSchemas[form.holds];
    case 'list':
      return z.array(schemaOfField(form.of));
    case 'noun':
      return schemaOf(form.shape);
    case 'tuple':
      return z.tuple(Object.values(form.shape.members).map(schemaOfField) as [z.ZodType]);
  }
}

export const time = z
  .string()
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, microseconds' });

const key = z
  .union([z.int(), z.string(), z.record(z.string(), z.unknown())])
  .meta({ description: 'Value of the key; an object of column and value for a composite key' });

/** The schemas of JSON that is sent on as text. */
const jsonSchemas: Readonly<Record<JsonForm, z.ZodType>> = {
  any: z.unknown(),
  row: z.record(z.string(), z.unknown()).meta({ description: "Full row in PostgreSQL's own JSON" }),
  key,
  'key or null': key.nullable(),
  object: z.record(z.string(), z.unknown()),
  list: z.array(z.unknown()),
  texts: z.record(z.string(), z.record(z.string(), z.string())).meta({
    description:
      "PostgreSQL's own texts of values that JSON does not tell from others, by the member that holds the row, then by column: JSON null beside NULL, json as it was written, bounds of arrays",
  }),
};
