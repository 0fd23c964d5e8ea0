/** The guards that find the functions that a statement calls, and look them up in the catalog. */
import type { Guard } from './guard.ts';

export const callGuards: readonly Guard[] = [
  {
    name: 'code that runs as it is runs no text that may vary, as only a copy compares it with the one that was checked',
    without: '',
    tests: ['attacks/function-effects'],
  },
  {
    name: 'code that runs as it is only reads',
    without: 'const { extent } = context;',
    tests: ['attacks/function-effects'],
  },
  {
    name: "a function of users that has the name of one of the server's is resolved",
    without: '',
    tests: ['proxy/unstaged-hints'],
  },
  {
    name: 'an output column of the statement, or of something else than a function in FROM, is not taken for a whole row',
    without: '',
    tests: ['proxy/row-functions'],
  },
  {
    name: 'a staged write calls a VOLATILE function only if all that it calls has no effects',
    without: 'for (const part of [] as FunctionBody["uses"][])',
    tests: ['proxy/volatile-functions'],
  },
  {
    name: 'DO UPDATE reads no rows that its own statement has staged, which PostgreSQL would not show to it',
    without: 'IF false AND EXISTS (',
    tests: ['proxy/stable-functions'],
  },
  {
    name: 'only what is replaced by a staged function counts as harmless',
    without: 'const harmless = asked.filter((_, index) => functions[index]?.isHarmless);',
    lines: 4,
    tests: ['proxy/volatile-functions'],
  },
  {
    name: 'a column is not taken for a whole row',
    without: '',
    tests: ['proxy/row-functions'],
  },
  {
    name: 'a column of a function in FROM is not taken for a whole row',
    without: 'const rows = found;',
    tests: ['proxy/rows-as-parameters'],
  },
  {
    name: 'a column in a body is not taken for a whole row',
    without: "if (unless === 'any column') return false;",
    tests: ['proxy/rows-as-parameters'],
  },
  {
    name: 'a function that stands behind a dot does not write',
    without: '',
    tests: ['proxy/rows-as-parameters'],
  },
  {
    name: 'NEW and OLD, which are no rows of staged functions, are passed to none',
    without: '',
    lines: 2,
    tests: ['proxy/rows-as-parameters'],
  },
  {
    name: 'rows for staged functions are passed to none that takes those of the table',
    without: '',
    tests: ['proxy/rows-as-parameters'],
  },
  {
    name: 'rows of staged functions are passed to none that takes those of the table',
    without: '',
    lines: 2,
    tests: ['proxy/rows-as-parameters'],
  },
  {
    name: 'checks of domains convert values to domains',
    without: 'UNION ALL SELECT NULL::oid FROM pg_constraint k',
    tests: ['attacks/domains-in-expressions'],
  },
  {
    name: 'the checks of a table convert values to domains',
    without: '',
    tests: ['attacks/domains-in-expressions'],
  },
  {
    name: 'a domain has a default',
    without: '',
    tests: ['attacks/domains-in-expressions'],
  },
  {
    name: 'the type of a column or of a cast is a domain, or consists of some: where it did not come with the server, all domains count',
    without: 'END);',
    tests: ['attacks/domains-in-expressions'],
  },
  {
    name: 'the check of a domain may run that of another one',
    without: 'SELECT NULL::oid, k.contypid FROM pg_constraint k JOIN pg_depend d ON false',
    tests: ['attacks/domains-in-expressions'],
  },
  {
    name: 'a name behind a dot is a call',
    without: '',
    tests: ['sql/functions'],
  },
  {
    name: 'a function in FROM may take the result of another one',
    without: 'return isSuspicious(name);',
    tests: ['sql/functions'],
  },
  {
    name: 'a column may be a call of a function with effects',
    without: 'return isOfFunction;',
    tests: ['sql/functions'],
  },
  {
    name: 'a text does not pass before the catalog has resolved its calls',
    without: '',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'PostgreSQL reads literals, and checks those of domains, when a statement is parsed',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'writes of user code that reads a literal are checked',
    without: 'return types.length < 0;',
    tests: ['attacks/maintenance'],
  },
  {
    name: 'COMMIT runs no code of users after the commit check',
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
    name: 'functions that a relation calls when it is read count as called',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'operators that the grammar implies are called, too',
    without: 'for (const name of impliedOperators(type, fields).slice(0, 0))',
    tests: ['attacks/maintenance'],
  },
  {
    name: 'constants that an index is inferred from are evaluated when the statement is planned',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'the types of a statement that SQL prepares are called',
    without: 'if (types.length >= 0) return body;',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'the types that a client gives its parameters are called',
    without: 'const types = [] as const;',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'objects that users have made since are resolved in reads',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'objects that users have made since are resolved in writes',
    without: '',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'the catalog is queried before a read runs',
    without: '',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'the catalog is queried before a read is bound',
    without: '',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'the catalog is queried before a statement is prepared by SQL',
    without: '',
    tests: ['attacks/attribute-notation'],
  },
  {
    name: 'the catalog is queried for the present calls of a prepared statement',
    without: 'const inBody: readonly UnclearCall[] = body ? [] : [];',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'arguments of EXECUTE call the names behind dots',
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
    name: 'functions of extensions with effects are not called by definitions of tables',
    without: '',
    tests: ['sql/effects', 'attacks/extension-functions'],
  },
  {
    name: 'a function of the server without a known effect is not called',
    without: "return isUnlisted(name) ? 'beyond' : isCompiled ? 'none' : 'code';",
    tests: ['sql/functions'],
  },
  {
    name: 'a name that depends on the search path is resolved each time',
    without: 'return known !== undefined && known.harmfulInReads === null;',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'a result that depends on the search path is not cached',
    without: '',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'a function that does not exist is resolved again',
    without: 'if (false)',
    tests: ['attacks/extension-functions'],
  },
  {
    name: 'calls of operators, aggregates and casts of users are checked like named calls',
    without: 'const checked = candidates.filter((each) => each.isNamed);',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'operators, aggregates, casts and types of users are resolved in reads',
    without: 'return this.withUnnamed(calls.filter((each) => each.unlessMade !== true));',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'calls in the definition of a table are checked like calls of a statement',
    without: 'if (called === null || called) return;',
    tests: ['attacks/text-run-as-sql'],
  },
  {
    name: 'an error that repeats is not reported as one that a retry may cure',
    without:
      "if (isAgain || !isAgain) return { fields: new Map(fields).set('C', staleNames), reason: 'names' };",
    tests: ['attacks/text-run-as-sql'],
  },
  {
    name: 'writes of user code in a read are checked before its end',
    without: "if (verdict.kind === 'read') return false;",
    tests: ['attacks/maintenance'],
  },
  {
    name: 'a function of users with the code of a known one is checked like that',
    without: 'const asFound = (each: Candidate): Candidate => each;',
    tests: ['attacks/unspelled-calls'],
  },
  {
    name: 'a function of the server in SQL is known by its body',
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
