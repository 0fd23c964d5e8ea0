/**
 * Reads SQL files from templates/sql and fills their placeholders.
 * An object of the database is one file. A part of it that repeats for each column or constraint is a TypeScript function that returns its
 * text. A statement that repeats for each table of a session is run by EXECUTE in a function of the schema `stage`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { internalSchemas, standInSchemas } from '../model/internal-schemas.ts';

const root = fileURLToPath(new URL('../../templates/sql/', import.meta.url));

/** The placeholders that have the same value in every file. */
export const facts: Readonly<Record<string, string>> = {
  internal_schemas: internalSchemas,
  stand_in_schemas: standInSchemas,
};

/** Reads one file of templates/sql, e.g. `table/install/shadow.sql`, and fills in the facts. */
export function loadSql(path: string): string {
  return readFileSync(root + path, 'utf8').replace(
    /\{\{(\w+)\}\}/g,
    (placeholder, name: string) => facts[name] ?? placeholder,
  );
}

/** Returns the names of the .sql files in a folder of templates/sql and its subfolders, sorted. */
export function listSql(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

/**
 * Replaces each `{{name}}` by its value. Values are SQL: the caller quotes them.
 * @throws Error if a placeholder has no value, i.e. template and caller do not match
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
