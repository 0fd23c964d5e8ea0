/** Ways to call a function: by its name, and by objects over it that call it without naming it. */
import type { Random } from '../../helpers/random.ts';
import { argumentHints } from './argument-hints.ts';
import type { Callable, Catalog } from './catalog.ts';
import { concrete, drawValue, quoted } from './values.ts';

export interface Spelled {
  /** The way of the call, for reports. */
  readonly way: string;
  /** The object that a superuser creates for it. If two calls of a run would create different ones under the same key, only one may. */
  readonly made?: { readonly key: string; readonly sql: string };
  readonly expression: string;
  /** The item of FROM for it, if that is not a query with the expression. */
  readonly range?: string;
  /** Whether it returns rows, or takes those of a query, so that it needs its own subquery. */
  readonly isQuery: boolean;
}

interface Call {
  readonly callable: Callable;
  /** Its index among the functions. It distinguishes the objects over this function from those over others. */
  readonly number: number;
  readonly args: readonly string[];
  readonly columns: string | undefined;
  readonly catalog: Catalog;
  readonly random: Random;
}

/** A way to call a function. It returns null if the function cannot be called in this way. */
type Way = (call: Call) => Spelled | null;

/** Draws arguments and a way to call the function. */
export function spell(random: Random, catalog: Catalog, number: number): Spelled {
  const callable = catalog.functions[number] as Callable;
  const call = { callable, number, catalog, random, ...drawArguments(random, catalog, callable) };
  const usual = random.chance(0.45) ? [byName] : [...indirect];
  while (usual.length > 0) {
    const [way] = usual.splice(random.below(usual.length), 1) as [Way];
    const spelled = way(call);
    if (spelled) return spelled;
  }
  return byName(call);
}

function drawArguments(
  random: Random,
  catalog: Catalog,
  { name, args, defaults, isVariadic }: Callable,
): Pick<Call, 'args' | 'columns'> {
  const known = random.chance(0.7) ? argumentHints[name] : undefined;
  const most = args.at(-1) === '"any"' ? Number.POSITIVE_INFINITY : args.length;
  const fitting = known?.filter((each) => each.args.length <= most) ?? [];
  const reported = fitting.length > 0 ? random.pick(fitting) : { args: [] };
  const isWhole = isVariadic || defaults === 0 || random.chance(0.6);
  const count = Math.max(isWhole ? args.length : args.length - random.below(defaults + 1), 0);
  const drawn = args
    .slice(reported.args.length, count)
    .map((type) => drawValue(random, catalog, type));
  return {
    args: [...reported.args, ...drawn],
    columns: 'columns' in reported ? reported.columns : undefined,
  };
}

const nameOf = ({ schema, name }: Callable): string => `${schema}.${identifier(name)}`;
const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function byName(call: Call): Spelled {
  const { callable, random } = call;
  const name = random.chance(0.3) ? identifier(callable.name) : nameOf(callable);
  if (callable.kind === 'window') return byNameOver(`${name}(${call.args.join(', ')})`);
  if (callable.kind === 'aggregate') return aggregated(call, name);
  const [only] = call.args;
  if (call.args.length === 1 && random.chance(0.15)) {
    const expression = `(${only}).${identifier(callable.name)}`;
    return { way: 'attribute', expression, isQuery: callable.isSet };
  }
  const expression = `${name}(${listed(call)})`;
  const spelled = { way: 'name', expression, isQuery: callable.isSet };
  if (call.columns) return { ...spelled, range: `${expression} AS r(${call.columns})` };
  const needsColumns = callable.result === 'record' && callable.isSet;
  return needsColumns ? spelled : { ...spelled, range: `${expression} r` };
}

const byNameOver = (call: string): Spelled => ({
  ...{ way: 'name', expression: `${call} OVER ()`, isQuery: true },
});

function aggregated({ callable: { direct }, args, random }: Call, name: string): Spelled {
  const given = args.length === 0 ? '*' : args.join(', ');
  if (direct === null && random.chance(0.3)) return byNameOver(`${name}(${given})`);
  if (direct === null) return { way: 'name', expression: `${name}(${given})`, isQuery: true };
  const [before, behind] = [args.slice(0, direct), args.slice(direct)];
  const order = behind.join(', ') || '1';
  return {
    way: 'name',
    expression: `${name}(${before.join(', ')}) WITHIN GROUP (ORDER BY ${order})`,
    isQuery: true,
  };
}

/** Returns the arguments of a call by name. */
function listed({ callable: { isVariadic, args: types }, args }: Call): string {
  const last = args.at(-1);
  const isArray = isVariadic && types.at(-1) !== '"any"' && last !== undefined;
  return (isArray ? [...args.slice(0, -1), `VARIADIC ${last}`] : args).join(', ');
}

/** Letters of operators. No operator of PostgreSQL begins with them in this order. */
const letters = ['@', '#', '%', '^', '&', '|', '~'];

function byOperator({ callable, number, args }: Call): Spelled | null {
  const { args: types, kind } = callable;
  if (kind !== 'function' || types.length < 1 || types.length > 2 || args.length !== types.length)
    return null;
  if (types.some((type) => type === '"any"' || type === 'cstring')) return null;
  const symbol = `%#${number.toString(7).replace(/./g, (digit) => letters[Number(digit)] ?? '')}`;
  const [left, right] = types.length === 2 ? types : [null, types[0]];
  const sides = left === null ? '' : `LEFTARG = ${left}, `;
  const written = left === null ? `${symbol} ${args[0]}` : `${args[0]} ${symbol} ${args[1]}`;
  return {
    way: 'operator',
    made: {
      key: `operator ${symbol}`,
      sql: `CREATE OPERATOR public.${symbol} (FUNCTION = ${nameOf(callable)}, ${sides}RIGHTARG = ${right})`,
    },
    expression: `(${written})`,
    isQuery: callable.isSet,
  };
}

/** Spells a call as `x op ANY (array)`, for functions of two arguments that return a boolean. */
function byAny(call: Call): Spelled | null {
  const spelled = call.callable.result === 'boolean' ? byOperator(call) : null;
  if (spelled === null || call.args.length !== 2 || call.callable.isSet) return null;
  const [left, right] = call.args as [string, string];
  const symbol = spelled.made?.key.slice('operator '.length);
  return {
    ...spelled,
    way: 'operator with ANY',
    expression: `(${left} ${symbol} ANY (ARRAY[${right}]))`,
  };
}

function byCast({ callable, args, catalog, random }: Call): Spelled | null {
  const { args: types, result, kind, isSet } = callable;
  const [source, ...others] = types;
  if (kind !== 'function' || isSet || source === undefined || args[0] === undefined) return null;
  if (others.some((type, at) => type !== ['integer', 'boolean'][at])) return null;
  const isCastable = [source, result].every((type) => {
    const facts = catalog.types.get(type);
    return facts !== undefined && facts.kind !== 'pseudo' && facts.kind !== 'domain';
  });
  const cast = `${source} AS ${result}`;
  if (!isCastable || source === result || catalog.casts.has(cast)) return null;
  const named = random.pick([
    `CAST(${args[0]} AS ${result})`,
    `(${args[0]})::${result}`,
    `((${args[0]})::${result})`,
  ]);
  return {
    way: 'cast',
    made: {
      key: `cast ${cast}`,
      sql: `DROP CAST IF EXISTS (${cast}); CREATE CAST (${cast}) WITH FUNCTION ${nameOf(callable)}(${types.join(', ')})`,
    },
    expression: named,
    isQuery: false,
  };
}

/** PostgreSQL's functions (state, state) to state without an effect. */
const larger: Readonly<Record<string, string>> = {
  text: 'text_larger',
  integer: 'int4larger',
  bigint: 'int8larger',
  smallint: 'int2larger',
  oid: 'oidlarger',
  'double precision': 'float8larger',
  real: 'float4larger',
  numeric: 'numeric_larger',
  date: 'date_larger',
  'timestamp with time zone': 'timestamptz_larger',
  'timestamp without time zone': 'timestamp_larger',
  interval: 'interval_larger',
  inet: 'network_larger',
  money: 'cashlarger',
  boolean: 'booland_statefunc',
  tid: 'tidlarger',
  anyarray: 'array_larger',
};

/** Makes the function the transition function of an aggregate. */
function byTransition({ callable, number, args, random }: Call): Spelled | null {
  const [state, ...rest] = callable.args;
  if (callable.kind !== 'function' || callable.isSet || state !== callable.result) return null;
  if (state === undefined || rest.length === 0 || args.length !== callable.args.length) return null;
  if (concrete(state) !== state || callable.args.includes('cstring')) return null;
  const [first, ...others] = args;
  const name = `sums_${number}`;
  const create = `CREATE AGGREGATE public.${name}(${rest.join(', ')}) (SFUNC = ${nameOf(callable)}, STYPE = ${state}, INITCOND = %L)`;
  const sql = `DO $do$BEGIN EXECUTE format(${quoted(create)}, (${first})::text); END$do$`;
  return {
    way: 'transition function',
    // The first value of another draw would make another aggregate.
    made: { key: `aggregate ${name}`, sql },
    expression: `public.${name}(${others.join(', ')})${random.pick(['', ' OVER ()', ' FILTER (WHERE true)'])}`,
    isQuery: true,
  };
}

/** Makes it the transition function of a moving aggregate, which only window frames call. */
function byMoving(call: Call): Spelled | null {
  const spelled = byTransition(call);
  const { callable, number, args } = call;
  const [state, ...rest] = callable.args;
  const harmless = state === undefined ? undefined : larger[state];
  if (!spelled || !harmless || rest.length !== 1 || rest[0] !== state) return null;
  const [first, ...others] = args;
  const name = `moves_${number}`;
  const create = `CREATE AGGREGATE public.${name}(${rest.join(', ')}) (SFUNC = ${harmless}, STYPE = ${state}, MSFUNC = ${nameOf(callable)}, MINVFUNC = ${nameOf(callable)}, MSTYPE = ${state}, MINITCOND = %L)`;
  return {
    way: 'moving aggregate',
    made: {
      key: `aggregate ${name}`,
      sql: `DO $do$BEGIN EXECUTE format(${quoted(create)}, (${first})::text); END$do$`,
    },
    expression: `public.${name}(${others.join(', ')}) OVER (ROWS BETWEEN CURRENT ROW AND CURRENT ROW)`,
    isQuery: true,
  };
}

/** Makes the function the final function of an aggregate. Its second argument is before WITHIN GROUP. */
function byFinal({ callable, number, args }: Call): Spelled | null {
  const [state, ...direct] = callable.args;
  const harmless = state === undefined ? undefined : larger[state];
  if (callable.kind !== 'function' || callable.isSet || !harmless) return null;
  if (args.length !== callable.args.length || callable.args.includes('cstring')) return null;
  const name = `ends_${number}`;
  const types = direct.length === 0 ? state : `${direct.join(', ')} ORDER BY ${state}`;
  const [first, ...before] = args;
  return {
    way: 'final function',
    made: {
      key: `aggregate ${name}`,
      sql: `CREATE AGGREGATE public.${name}(${types}) (SFUNC = ${harmless}, STYPE = ${state}, FINALFUNC = ${nameOf(callable)})`,
    },
    expression:
      direct.length === 0
        ? `public.${name}(${first})`
        : `public.${name}(${before.join(', ')}) WITHIN GROUP (ORDER BY ${first})`,
    isQuery: true,
  };
}

/** Calls the function in the CHECK of a domain. */
function byDomain(call: Call): Spelled | null {
  const { callable, number, args, catalog } = call;
  const [type] = callable.args;
  const facts = type === undefined ? undefined : catalog.types.get(type);
  if (callable.kind !== 'function' || callable.isSet || !facts || facts.kind === 'pseudo')
    return null;
  const [first, ...others] = args;
  if (first === undefined) return null;
  const name = `asks_${number}`;
  const check = `(${nameOf(callable)}(${['VALUE', ...others].join(', ')}))::text IS DISTINCT FROM 'q'`;
  return {
    way: 'domain',
    made: {
      key: `domain ${name}`,
      sql: `CREATE DOMAIN public.${name} AS ${type} CHECK (${check})`,
    },
    expression: `CAST(${first} AS public.${name})`,
    isQuery: false,
  };
}

const indirect: readonly Way[] = [
  byOperator,
  byAny,
  byCast,
  byTransition,
  byMoving,
  byFinal,
  byDomain,
];
