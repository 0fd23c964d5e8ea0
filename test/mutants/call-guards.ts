/** The guards that find the functions that a statement calls, and look them up in the catalog. */
import type { Guard } from './guard.ts';

export const callGuards: readonly Guard[] = [
  {
    name: 'what stands behind a dot is a call',
    without: '',
    tests: ['sql/functions'],
  },
  {
    name: 'what a function in FROM gives may be what another one takes',
    without: 'return isSuspicious(name);',
    tests: ['sql/functions'],
  },
  {
    name: 'a column may be a call of a function with effects',
    without: 'return isOfFunction;',
    tests: ['sql/functions'],
  },
  {
    name: 'a text does not pass before the catalog has told what it calls',
    without: '',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'PostgreSQL reads literals, and checks those of domains, when a statement is parsed',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'what code of users does where a literal is read is looked at',
    without: 'return types.length < 0;',
    tests: ['attacks/maintenance'],
  },
  {
    name: 'COMMIT runs no code of users behind the look',
    without: '',
    tests: ['attacks/maintenance'],
  },
  {
    name: 'COMMIT runs no query of a cursor that a function has declared',
    without: "AND NOT current_setting('transaction_read_only')::boolean",
    lines: 2,
    tests: ['attacks/maintenance'],
  },
  {
    name: 'what a relation calls when it is read counts as called',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'operators that the grammar implies are called, too',
    without: 'for (const name of impliedOperators(type, fields).slice(0, 0))',
    tests: ['attacks/maintenance'],
  },
  {
    name: 'what an index is inferred from is evaluated when the statement is planned, as far as it is constant',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'the types of what is prepared by SQL are called',
    without: 'if (types.length >= 0) return body;',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'the types that a client gives its parameters are called',
    without: 'const types = [] as const;',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'what users have made since is asked about in reads',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'what users have made since is asked about in writes',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'the catalog is asked before a read runs',
    without: '',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'the catalog is asked before a read is bound',
    without: '',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'the catalog is asked before a statement is prepared by SQL',
    without: '',
    tests: ['attacks/attribute-notation'],
  },
  {
    name: 'the catalog is asked what a prepared statement calls by now',
    without: 'const inBody: readonly UnclearCall[] = body ? [] : [];',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'arguments of EXECUTE call what stands behind a dot',
    without:
      "...fields.slice(0, 0).map((name) => ({ kind: 'field' as const, schema: null, name })),",
    tests: ['attacks/attribute-notation'],
  },
  {
    name: 'volatile functions in C are not called by reads',
    without: "return isVolatile ? 'none' : 'none';",
    tests: ['sql/functions'],
  },
  {
    name: 'functions of further extensions are known to run a text or to reach out',
    without: '',
    tests: ['sql/effects'],
  },
  {
    name: 'functions of extensions that run a text are not called',
    without: '',
    tests: ['sql/functions'],
  },
  {
    name: 'a function of the server that nobody has judged is not called',
    without: "return isUnlisted(name) ? 'beyond' : isCompiled ? 'none' : 'code';",
    tests: ['sql/functions'],
  },
  {
    name: 'what another search path would find is asked each time',
    without: 'return known !== undefined && known.harmfulInReads === null;',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'what depends on the search path is not taken as known',
    without: '',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'a function that does not exist is asked for again',
    without: 'if (false)',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'what operators, aggregates and casts of users call is judged like what is named',
    without: 'const checked = candidates.filter((each) => each.isNamed);',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'what users have made of operators, aggregates, casts and types is asked about in reads',
    without: 'return this.withUnnamed(calls.filter((each) => each.unlessMade !== true));',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'what the definition of a table calls is judged like what a statement calls',
    without: 'if (called === null || called) return;',
    tests: ['attacks/text-run-as-sql'],
  },
  {
    name: 'what fails in the same way again is not told as what another try may cure',
    without:
      "if (isAgain || !isAgain) return { fields: new Map(fields).set('C', staleNames), reason: 'names' };",
    tests: ['attacks/text-run-as-sql'],
  },
  {
    name: 'what code of users does in a read is looked at before its end',
    without: "if (verdict.kind === 'read') return false;",
    tests: ['attacks/maintenance'],
  },
  {
    name: 'a function of users that has the code of a known one is judged as that',
    without: 'const asFound = (each: Candidate): Candidate => each;',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'a function of the server in SQL is known by what it does',
    without:
      "ELSE true OR pg_get_function_sqlbody(p.oid) = ANY (ARRAY['RETURN ($2 + $1)', 'RETURN on_ppath($2, $1)', 'RETURN polygon(12, $1)',",
    tests: ['staging/user-code'],
  },
  {
    name: 'a cast of users to text is code that text || anything runs',
    without: 'AND true OR EXISTS (',
    tests: ['staging/user-code'],
  },
  {
    name: 'FOR UPDATE needs the right to UPDATE',
    without: '',
    tests: ['proxy/lock-rights'],
  },
];
