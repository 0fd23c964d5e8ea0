/** Every family of PostgreSQL's types, including the extensions that the tests install. */
import { arrays, enums, ranges } from './compounds.ts';
import { documents, xml } from './documents.ts';
import type { Family } from './family.ts';
import { numbers } from './numbers.ts';
import { citext, geometry, hstore, identifiers, ltree } from './others.ts';
import { texts } from './texts.ts';
import { times } from './times.ts';

export const families: readonly Family[] = [
  numbers,
  texts,
  times,
  enums,
  arrays,
  ranges,
  documents,
  xml,
  identifiers,
  geometry,
  citext,
  hstore,
  ltree,
];
