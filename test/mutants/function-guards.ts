/** The guards of functions and procedures that write. */
import type { Guard } from './guard.ts';

const tests = ['proxy/unstaged-functions'];
const blocks = ['proxy/code-blocks'];
const inserts = ['proxy/calling-inserts.test'];
const changes = ['proxy/calling-changes.test'];
const upserts = ['proxy/upserting-code'];
const attacks = ['attacks/function-effects'];

export const functionGuards: readonly Guard[] = [
  {
    name: 'a block within a body is not passed over',
    without: '',
    tests: blocks,
  },
  {
    name: 'only blocks in PL/pgSQL are followed',
    without: "if (body === undefined) return refusedStatement('DoStmt', {});",
    tests: ['sql/refusals'],
  },
  {
    name: 'defaults of variables are checked, also where the parser does not return them',
    without: 'const others: { query: string; parseMode?: number }[] = [];',
    tests: blocks,
  },
  {
    name: 'functions that call themselves find the same names each time',
    without: '',
    tests,
  },
  {
    name: 'a temporary table in the place of a table that a block names is not passed over',
    without: '',
    tests: blocks,
  },
  {
    name: 'a block does not run when what it was made from has changed',
    without: '',
    tests: blocks,
  },
  {
    name: 'an exception block for OTHERS passes on what the service refuses',
    without: 'const handlers: ReturnType<typeof handlersOfOthers> = [];',
    tests: blocks,
  },
  {
    name: 'errors are passed on by exception blocks, not by a CASE that looks like one',
    without: '',
    tests: blocks,
  },
  {
    name: 'a second DECLARE, which PL/pgSQL skips, is not taken for the name of a variable',
    without: "if (isWord(tokens, at, 'declare')) at += 1;",
    tests: blocks,
  },
  {
    name: 'a block is followed anew under another search path',
    without: 'if (first.isCurrent) return { made: known, found: first };',
    tests: blocks,
  },
  {
    name: 'a block calls what the role may call',
    without: 'WHERE false),',
    tests: blocks,
  },
  {
    name: 'OVERRIDING and MERGE of a function are not lost',
    without: 'return upserts.length <= 1 && !replacement;',
    tests,
  },
  {
    name: 'no exception block of code that writes catches a refusal of the service',
    without: '',
    tests,
  },
  { name: 'names in a copy do not move while it runs', without: '', tests },
  {
    name: 'a write in a trigger does not decide for the statement around it',
    without: '',
    tests: ['proxy/set-columns'],
  },
  {
    name: 'PostgreSQL refuses values for columns that it fills itself',
    without: '',
    lines: 2,
    tests,
  },
  {
    name: 'a function that calls one that writes is checked like one that writes',
    without:
      'const scripts = copies !== null ? copies.scripts : await writingScripts(context, definition, schema, uses);',
    lines: 4,
    tests,
  },
  {
    name: 'staged functions are made anew when a table changes that they write to',
    without: '',
    tests,
  },
  {
    name: 'a statement that writes calls no function that writes: the two would be one statement',
    without: '',
    lines: 2,
    tests,
  },
  {
    name: 'a function that writes decides about no rows: PostgreSQL would also pass it those that the session has changed or deleted',
    without: '',
    tests: changes,
  },
  {
    name: 'no condition of a body calls a function that writes',
    without: '',
    tests: ['proxy/unstaged-functions'],
  },
  {
    name: 'a write calls no function in which it stands',
    without: '',
    tests,
  },
  {
    name: 'nothing is written to the table of a write, or to one that refers to it, by what it calls',
    without: '',
    tests: inserts,
  },
  {
    name: 'the policy checks the rows of a write that has called functions',
    without: '',
    tests: ['proxy/limits.test'],
  },
  {
    name: 'only a plain INSERT, UPDATE or DELETE stages what the functions write that it calls',
    without: '',
    tests: inserts,
  },
  {
    name: 'a write in which a name of a function follows a literal is not used for another text',
    without: 'if (plan.statements.length > 0) return plan;',
    tests: inserts,
  },
  {
    name: 'a function that writes calls no function that is not staged',
    without: '',
    lines: 2,
    tests,
  },
  {
    name: 'a temporary table in the place of a table that a function names is not passed over',
    without: '',
    tests,
  },
  {
    name: 'what a function reads behind a temporary table is not read in its place',
    without: '',
    tests: ['proxy/stable-functions'],
  },
  {
    name: 'unstaged tables of a statement that calls functions are checked as in each staged write',
    without: 'unstagedIn(write, calls);',
    tests,
  },
  {
    name: 'a procedure that is not staged is not called',
    without: 'if (calls.obstacle !== undefined) return null;',
    tests,
  },
  {
    name: "a function writes with the client's rights to the whole table",
    without: 'v_by_function boolean := false;',
    tests,
  },
  {
    name: 'no text between quotes is taken for the name of a type',
    without:
      'const tokens = [...text.matchAll(/"[^"]*"|\\w+|[.%]/g)].map((each) => ({ text: each[0], start: each.index, end: each.index + each[0].length }));',
    tests: attacks,
  },
  {
    name: 'code that runs for a declared type is known',
    without: 'const expressions: Expression[] = [];',
    tests: attacks,
  },
  {
    name: 'defaults of arguments are checked like the body',
    without: 'return [];',
    tests: attacks,
  },
  {
    name: 'names in a staged function do not move while the statement runs',
    without: '',
    tests: attacks,
  },
  {
    name: 'a staged function is called with the rights that its function demands',
    without: 'WHERE false)',
    tests: attacks,
  },
  {
    name: "a table's checks call nothing for a function or a trigger that the client may not call",
    without: 'IF false THEN',
    tests: attacks,
  },
  {
    name: "a function with a path of its own, or with its owner's rights, passes over schemas that the role may not use",
    without: 'WHERE false)',
    tests: ['proxy/own-paths'],
  },
  {
    name: 'a function or a trigger writes to no schema that the client may not use',
    without: 'IF false THEN',
    tests: ['proxy/own-paths'],
  },
  {
    name: 'a function finds names in the schemas of its own SET clause',
    without: 'const own = context;',
    tests: ['proxy/own-paths'],
  },
  {
    name: 'calls in a function are resolved in its own search path',
    without: 'const inner = context;',
    tests: ['proxy/own-paths'],
  },
  {
    name: 'names of a function with its own search path are resolved in it',
    without: 'SELECT CASE WHEN false THEN ARRAY(',
    tests: ['proxy/own-paths'],
  },
  {
    name: 'the names in a query of an ON CONFLICT clause are not taken for variables',
    without: '',
    tests: upserts,
  },
  {
    name: 'a row of the table is not taken for a variable',
    without: '',
    tests: upserts,
  },
  {
    name: 'calls and qualified names of an ON CONFLICT clause are replaced',
    without: '',
    lines: 2,
    tests: upserts,
  },
  {
    name: 'a name that may be a column is not taken for a variable',
    without: 'const column = undefined as string | undefined;',
    tests: upserts,
  },
  {
    name: 'rows conflict in a copy where they do in PostgreSQL',
    without: '',
    lines: 4,
    tests: upserts,
  },
  {
    name: 'a value is text between quotes, whatever it contains',
    without: "RETURN format('(''%s''::%s)', p_value, format_type(pg_typeof(p_value), -1));",
    tests: upserts,
  },
  {
    name: 'DO UPDATE of a copy needs the right to update, whether or not a row is in the way',
    without: 'IF false THEN',
    tests: upserts,
  },
  {
    name: 'rows that triggers wrote before are no rows of this statement',
    without: "AND s._stage_mutation = current_setting('stage.mutation_{{key}}')::bigint;",
    tests: upserts,
  },
  {
    name: 'the rows of a part of an upsert in a trigger are those of the whole',
    without:
      "_stage_v_nested boolean := pg_trigger_depth() > 1 AND coalesce(current_setting('stage.origin', true), '') = 'trigger';",
    tests: upserts,
  },
  {
    name: "names of the service's own query are not found in schemas of users",
    without: '',
    tests: ['proxy/own-paths'],
  },
  { name: 'a copy has no setting of its own but the path', without: '', tests },
  { name: 'a role chooses no schema in which a copy finds names', without: '', tests },
  { name: 'no schema of a copy comes before pg_catalog', without: 'WHEN false', tests },
];
