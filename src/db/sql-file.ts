/** SQL lives in templates/sql; this reads it and fills its placeholders. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../templates/sql/', import.meta.url));

/** Reads one file of templates/sql, e.g. `table/shadow.sql`. */
export function loadSql(path: string): string {
  return readFileSync(root + path, 'utf8');
}

/** Names of the .sql files of one folder of templates/sql and of the folders in it, sorted. */
export function listSql(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

/**
 * Replaces each `{{name}}` by its value. Values are SQL already: the caller quotes them.
 * @throws Error when a placeholder has no value: a template and its filler have come apart
 */
export function fillSql(
  template: string,
  values: Readonly<Record<string, string | number>>,
): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for placeholder ${name}`);
    return String(value);
  });
}
