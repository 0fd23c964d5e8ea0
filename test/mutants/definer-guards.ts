/** The guards of functions that run with the rights of their owners. */
import type { Guard } from './guard.ts';

const tests = ['proxy/definers'];
const attacks = ['attacks/definers.test'];
const readingAttacks = ['attacks/definers-that-read'];
const triggers = ['proxy/owner-triggers'];
const triggerAttacks = ['attacks/owner-triggers'];
const beforeAttacks = ['attacks/owner-before'];

export const definerGuards: readonly Guard[] = [
  {
    name: "a client chooses no schema for what is bound already and runs with an owner's rights",
    without: '',
    tests: attacks,
  },
  {
    name: 'rows for which the triggers of their partition do not fire decide nothing about what runs with the rights of owners',
    without: '',
    tests: ['proxy/named-partitions-with-code'],
  },
  {
    name: "checks of domains do not run with the rights of a trigger's owner",
    without: 'WHEN false AND EXISTS (',
    tests: triggers,
  },
  {
    name: "the condition of a trigger with its owner's rights does not depend on a role",
    without: 'WHEN false',
    tests: triggers,
  },
  {
    name: "default privileges give nobody the copy of a trigger with its owner's rights",
    without: 'WHEN false AND EXISTS (',
    tests: triggers,
  },
  {
    name: "the search for the row in the way of an owner's ON CONFLICT would demand rights of the client",
    without: 'if (false)',
    tests: triggers,
  },
  {
    name: "a trigger that did not fire with its owner's rights counts as one that would refuse",
    without: 'OR false',
    tests: triggerAttacks,
  },
  {
    name: "no trigger fires with its owner's rights for a client without the right to write",
    without: 'WHEN false THEN o.shown_name',
    tests: triggerAttacks,
  },
  {
    name: "a trigger with its owner's rights reads no rows that a client could not write",
    without: 'ELSE NULL END) c(relname)',
    tests: triggerAttacks,
  },
  {
    name: "nobody fires a trigger with its owner's rights for rows that were not staged",
    without: '',
    tests: triggerAttacks,
  },
  {
    name: "no BEFORE trigger fires with its owner's rights for a client without the right to write",
    without: 'IF false THEN',
    tests: beforeAttacks,
  },
  {
    name: "no text of a client is the row for which triggers with their owners' rights fire",
    without: '',
    tests: beforeAttacks,
  },
  {
    name: "no AFTER trigger fires for a row for which BEFORE triggers with their owners' rights do not",
    without: 'if (false)',
    tests: beforeAttacks,
  },
  {
    name: 'no notification is lost with a row that a trigger with other rights suppresses',
    without: 'if (false)',
    tests: ['proxy/owner-before'],
  },
  {
    name: 'an owner replaces no copy of a trigger',
    without: '',
    tests: triggerAttacks,
  },
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
    name: "code with its owner's rights reads no rows that a client could not write",
    without: 'AND (false',
    tests: attacks,
  },
  {
    name: "code with its owner's rights reads no rows that a trigger of production would refuse",
    without: '',
    tests: attacks,
  },
  {
    name: "what views and trees read counts for code with its owner's rights",
    without: '',
    tests: attacks,
  },
  {
    name: "what triggers read counts for code with its owner's rights",
    without: '',
    tests: attacks,
  },
  {
    name: 'what reads with the rights of an owner is left to production if the session has rows that must not decide what it shows',
    without: 'WHEN true THEN t.id',
    tests: readingAttacks,
  },
  {
    name: "a client does not note that the rows of the session were checked for a function with its owner's rights",
    without: "IF current_setting(v_note, true) <> '' THEN RETURN true; END IF;",
    tests: readingAttacks,
  },
  {
    name: "a function with its owner's rights writes where the owner may write",
    without:
      "IF has_table_privilege(v_table, 'INSERT, UPDATE, DELETE') OR has_any_column_privilege(v_table, 'INSERT, UPDATE') THEN",
    tests,
  },
  {
    name: "code with its owner's rights writes to no table whose policies apply to the owner",
    without: 'null;',
    tests: ['proxy/owner-policies'],
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
