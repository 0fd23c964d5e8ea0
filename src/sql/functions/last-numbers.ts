/**
 * The functions that draw from sequences, and lastval(). The service draws numbers in the client's connection, too, so the client's calls
 * are replaced by ones that tell its own numbers from these.
 */

import type { CallPlace } from '../places.ts';
import type { Replacement } from '../splice.ts';
import type { QualifiedName } from './calls.ts';

const replacedNames: ReadonlySet<string> = new Set(['lastval', 'nextval']);

const isReplaced = ({ schema, name }: QualifiedName) =>
  replacedNames.has(name) && (schema === null || schema === 'pg_catalog');

/** Returns whether a name is that of lastval(). Where no replacement is made, it may return a number of the service. */
export const isLastNumber = ({ schema, name }: QualifiedName): boolean =>
  name === 'lastval' && (schema === null || schema === 'pg_catalog');

/** Returns whether any of the calls is replaced. */
export const usesLastNumber = (called: readonly QualifiedName[]): boolean =>
  called.some(isReplaced);

/** Returns the replacements of such calls. */
export const lastNumberCalls = (called: readonly CallPlace[]): Replacement[] =>
  called.filter(isReplaced).map(({ start, end, name }) => ({ start, end, text: `stage.${name}` }));
