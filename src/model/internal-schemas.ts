/** The schemas of the service: this file has the only list of them. */

/** The kinds of schemas with stand-ins. Each schema has a number: that of a schema of production, or of a function. */
const kinds = ['overlay', 'upsert', 'load', 'tree', 'function'] as const;

/** Returns the name of a schema with stand-ins. */
export const standInSchema = (kind: (typeof kinds)[number], number: string | number) =>
  `stage_${kind}_${number}`;

/** The regular expression for the names of schemas with stand-ins, for JavaScript and PostgreSQL. */
export const standInSchemas = `^stage_(${kinds.join('|')})_[0-9]+$`;

/** The same for the names of all schemas of the service. A schema of another owner can have such a name. */
export const internalSchemas = `^stage(_data|_(${kinds.join('|')})_[0-9]+)?$`;
