/** Programs that once wrote to production, or could: lists of statements or messages, and the forms in which they are sent. */
import { data, done, q, run, s } from '../../helpers/wire-script.ts';

/** `reader` may SELECT; `writer` may also INSERT, UPDATE, DELETE, and create objects in schema public. */
export type ProgramRole = 'reader' | 'writer' | 'superuser';

export const everyRole: readonly ProgramRole[] = ['reader', 'writer', 'superuser'];

/** A function that returns the OID of a type of the database. */
export type TypeOid = (name: string) => number;

export interface Program {
  readonly name: string;
  /** Statements, which are sent in every form; or messages, if these matter. */
  readonly steps: readonly string[] | ((oid: TypeOid) => readonly Buffer[]);
  /** The roles that run it; all by default. */
  readonly roles?: readonly ProgramRole[];
  /** Additional start-up options. */
  readonly options?: string;
  /** Whether the response to each of its statements is 0A000, for effects that leave no trace in the database. */
  readonly isRefused?: true;
}

/**
 * Programs that share a database. An object that makes the service watch statements in the whole database hides other holes, so it needs
 * its own group.
 */
export interface ProgramGroup {
  readonly name: string;
  /** SQL that the superuser runs, besides that of `tables`. */
  readonly objects: string;
  readonly programs: readonly Program[];
  /** Whether the service may refuse every login. It must then state the reason. */
  readonly mayRefuseLogins?: true;
  /** Programs that depend on the prepared database. */
  readonly found?: (query: Query) => Promise<readonly Program[]>;
}

type Query = <T>(text: string) => Promise<T[]>;

/** The tables of every database. `note` has no key that could prevent code from writing to it. */
export const tables = `
CREATE TABLE t (id int PRIMARY KEY, v text);
CREATE TABLE note (v text);
CREATE SEQUENCE numbers START 5000;
SELECT nextval('numbers');
INSERT INTO t SELECT g, 'row ' || g FROM generate_series(1, 5) g;
SELECT lo_create(77777);
`;

/** Undoes what a program has written, so that the next ones start in the same state. */
export const undoing = `
TRUNCATE t, note;
INSERT INTO t SELECT g, 'row ' || g FROM generate_series(1, 5) g;
SELECT lo_unlink(oid) FROM pg_largeobject_metadata;
SELECT lo_create(77777);
`;

/** Functions that write, by what programs need them for. */
export const functions = `
CREATE FUNCTION wr(x text) RETURNS text LANGUAGE plpgsql AS
  $$BEGIN INSERT INTO public.note VALUES (x); RETURN x; END$$;
CREATE FUNCTION wr_def(x text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS
  $$BEGIN INSERT INTO public.note VALUES (x); RETURN x; END$$;
CREATE FUNCTION anything(text) RETURNS int LANGUAGE plpgsql AS 'BEGIN EXECUTE $1; RETURN 1; END';
`;

/** The forms of statements. They do not include the end of a program, which is the last Sync and a ROLLBACK. */
const forms: Readonly<Record<string, (statements: readonly string[]) => Buffer[]>> = {
  'simple queries': (statements) =>
    statements.map((text) => Buffer.concat([q(text), copied(text)])),
  'one simple query': (statements) => [q(statements.join('; ')), ...statements.map(copied)],
  'extended queries': (statements) => statements.flatMap((text) => [run(text), copied(text), s]),
  'a pipeline': (statements) => statements.map((text) => Buffer.concat([run(text), copied(text)])),
};

/** Returns what follows a COPY FROM STDIN. */
const copied = (text: string): Buffer =>
  /^COPY .* FROM STDIN/.test(text) ? Buffer.concat([data('900\tcopied\n'), done]) : Buffer.alloc(0);

/** Returns the messages of a program in each of its forms. */
export function formsOf(
  { steps }: Program,
  oid: TypeOid,
): (readonly [string, readonly Buffer[]])[] {
  if (typeof steps === 'function') return [['messages', steps(oid)]];
  return Object.entries(forms).map(([form, messages]) => [form, messages(steps)]);
}
