/** The guards of functions that run with the rights of their owners. */
import type { Guard } from './guard.ts';

const tests = ['proxy/definers'];
const attacks = ['attacks/definers'];

export const definerGuards: readonly Guard[] = [
  {
    name: 'no rows that a role could not write appear while a function runs that must not read them',
    without: '',
    tests: attacks,
  },
  {
    name: 'no copy runs with the rights of the service account',
    without: '',
    tests: attacks,
  },
  {
    name: "a client chooses no schema in which a superuser's function finds names",
    without: 'END',
    tests: attacks,
  },
  {
    name: 'a copy with the rights of an owner runs as long as its function is what it was',
    without: 'IF false THEN',
    tests: attacks,
  },
  {
    name: "a function with its owner's rights reads no rows that a client could not write",
    without: 'AND (false',
    tests: attacks,
  },
  {
    name: "a function with its owner's rights reads no rows that a trigger of production would refuse",
    without: '',
    tests: attacks,
  },
  {
    name: "what views and trees read counts for a function with its owner's rights",
    without: '',
    tests: attacks,
  },
  {
    name: "what triggers read counts for a function with its owner's rights",
    without: '',
    tests: attacks,
  },
  {
    name: "functions with their owners' rights that only read are left to production",
    without: '',
    tests: attacks,
  },
  {
    name: "functions with their owners' rights read staged rows for functions that write only",
    without: 'if (known.schema === null) continue;',
    tests: attacks,
  },
  {
    name: "a function with its owner's rights writes where the owner may write",
    without:
      "IF has_table_privilege(v_table, 'INSERT, UPDATE, DELETE') OR has_any_column_privilege(v_table, 'INSERT, UPDATE') THEN",
    tests,
  },
  {
    name: "a function with its owner's rights writes past no policies",
    without: 'IF false THEN',
    tests: attacks,
  },
  {
    name: "no trigger calls a function with its owner's rights",
    without: 'if (false)',
    tests: attacks,
  },
  {
    name: 'a copy with the rights of an owner is called by those who may call its function',
    without: '',
    tests: attacks,
  },
  {
    name: 'a copy with the rights of an owner is called by nobody else',
    without: '',
    tests: attacks,
  },
  {
    name: 'an owner replaces no copy',
    without: '',
    tests: attacks,
  },
  {
    name: 'a copy with the rights of an owner is checked before anything else in it',
    without: 'if (body !== null) return body;',
    tests: attacks,
  },
];
