/**
 * The alterations by another connection of a table's definition and of its dependencies, by kind, with the tables that notice: everything
 * that an object of an overlay takes for granted when it is made.
 */
import type { Alteration } from './alteration.ts';
import { definitions } from './definitions.ts';
import { rights } from './rights.ts';

export const alterations: readonly (readonly Alteration[])[] = [...rights, ...definitions];
