/** The guards of functions and procedures that write. */
import type { Guard } from './guard.ts';

const tests = ['proxy/unstaged-functions'];
const attacks = ['attacks/function-effects'];

export const functionGuards: readonly Guard[] = [
  {
    name: 'ON CONFLICT, OVERRIDING and MERGE of a function are not lost',
    without: 'return !replacement;',
    tests,
  },
  {
    name: 'no exception block of a function that writes takes what the service refuses for an error of the function',
    without: '',
    tests,
  },
  { name: 'names in a copy do not move while it runs', without: '', tests },
  {
    name: 'no statement says for which columns a trigger would fire',
    without: '',
    lines: 2,
    tests,
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
    name: 'what is not staged in a statement that calls functions is judged as in each staged write',
    without: 'unstagedIn(write, calls);',
    tests,
  },
  {
    name: 'a procedure that is not staged is not called',
    without: 'if (calls.obstacle !== undefined) return;',
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
    without:
      "WHERE NOT has_function_privilege(p.oid, 'EXECUTE')) THEN 'stage_function_' || t.id END) ORDER BY c.place)",
    tests: attacks,
  },
  {
    name: "a table's checks call nothing for a function or a trigger that the client may not call",
    without: 'IF false THEN',
    tests: attacks,
  },
];
