/**
 * The SQL parser of this thread. Parsing is a pure function of the text. The state here is one instance of the WebAssembly parser and a
 * spare, because deep nesting overflows an instance's stack and corrupts it, and one for functions in PL/pgSQL. This module also limits
 * the weight of the texts that the thread parses.
 */
import type { ParseResult, ScanToken } from 'libpg-query';
import { StageError } from '../../errors.ts';
import { SqlSyntaxError } from './syntax-error.ts';
import { isLight, maxWeight, weightOf } from './text-weight.ts';
import type { CompiledEngine, Engine, PlpgsqlEngine } from './wasm-engine.ts';
import { compileEngine, createEngine, createPlpgsqlEngine } from './wasm-engine.ts';

/** Thrown when the parser fails on a text that is not known to be wrong, when the text is too heavy, or when no instance is ready. */
export class ParserFailure extends StageError {
  constructor(message: string, cause?: unknown) {
    const hint = 'Write less in one statement, view or function.';
    super('statement_not_supported', message, { sqlstate: '54001', hint, cause });
  }
}

const machine = {
  compiled: null as Promise<CompiledEngine> | null,
  filling: null as Promise<void> | null,
  engines: [] as Engine[],
  plpgsql: null as Promise<PlpgsqlEngine> | null,
  takes: (text: Buffer) => isLight(text, ofOriginal),
};

const enginesReady = 2;
/** Factor on the limits of a light text: a text derived from it, to verify how it was parsed, may be longer. */
const ofOriginal = 2;
const maxRetriedBytes = 64 * 1024;

/** Raises the limit to `maxWeight`. Only for a thread that blocks nobody. */
export function allowHeavyTexts(): void {
  // guard: a text has only so many tokens
  machine.takes = (text) => weightOf(text, maxWeight) <= maxWeight;
}

/** Makes the parser ready. The caller awaits it once before the first parse. Concurrent calls share one promise. */
export function loadParser(): Promise<void> {
  machine.filling ??= fillUp().finally(() => {
    machine.filling = null;
  });
  return machine.filling;
}

async function fillUp(): Promise<void> {
  machine.compiled ??= compileEngine();
  const compiled = await machine.compiled;
  while (machine.engines.length < enginesReady) machine.engines.push(await createEngine(compiled));
}

/**
 * Parses a query string.
 * @returns the raw parse trees of the statements; locations are byte offsets.
 * @throws SqlSyntaxError for a text that PostgreSQL would not accept.
 * @throws ParserFailure for a text that is too heavy or too deeply nested.
 */
export function parseTree(text: Buffer): ParseResult {
  const { tree, fault } = withEngine(text, (engine) => engine.parse(text));
  if (tree) return tree;
  const retried = parseWithoutComments(text);
  if (retried) return retried;
  const position = fault.position > 0 ? fault.position : null;
  throw new SqlSyntaxError(fault.message, position, isLacking(fault.message) ? '0A000' : '42601');
}

/** Returns whether a message reports an unsupported feature: the grammar parses some constructs only to reject them. */
const isLacking = (message: string) =>
  /not (yet )?implemented$|only supported for ON DELETE actions$|no longer supported$|constraints cannot be (altered|marked) /.test(
    message,
  );

/** Splits a parsed text into PostgreSQL's tokens, without comments. */
export function scanTokens(text: Buffer): readonly ScanToken[] {
  return allTokens(text).filter((token) => !isComment(token));
}

/**
 * Parses a CREATE FUNCTION whose language is PL/pgSQL. Returns null if it cannot be parsed. It uses a separate instance, so that state left
 * by a user's function does not affect how statements and other functions are parsed.
 * @param body the function's body; within `text` it is a literal, which has no weight
 * @throws ParserFailure if the body is too heavy
 */
export async function parsePlpgsql(text: Buffer, body: Buffer): Promise<object | null> {
  const parsed = await plpgsqlOf(text, body);
  return typeof parsed === 'string' ? null : parsed;
}

/** Returns the syntax error of such a text; null if there is none. @throws ParserFailure as `parsePlpgsql` does */
export async function plpgsqlFault(text: Buffer, body: Buffer): Promise<SqlSyntaxError | null> {
  const parsed = await plpgsqlOf(text, body);
  // the parser also fails on types that it does not know
  const isFault = typeof parsed === 'string' && /^(?:syntax error|missing|mismatched)/.test(parsed);
  return isFault ? new SqlSyntaxError(parsed, null) : null;
}

async function plpgsqlOf(text: Buffer, body: Buffer): Promise<object | string | null> {
  demandLight(body);
  machine.compiled ??= compileEngine();
  machine.plpgsql ??= machine.compiled.then(createPlpgsqlEngine);
  try {
    return (await machine.plpgsql).parse(text);
  } catch {
    machine.plpgsql = null;
    return null;
  }
}

/**
 * Parses a text again with its comments blanked. libpg-query does not skip comments where PostgreSQL does: after NOT, NULLS, WITH,
 * WITHOUT, FORMAT, before UESCAPE and between the parts of a string. To PostgreSQL a comment is a space, so spaces of the same length
 * replace it.
 */
function parseWithoutComments(text: Buffer): ParseResult | null {
  // Scanning is slow, and most wrong texts have no comments.
  if (text.length > maxRetriedBytes || !(text.includes('--') || text.includes('/*'))) return null;
  const comments = allTokens(text).filter(isComment);
  if (comments.length === 0) return null;
  const blanked = Buffer.from(text);
  for (const { start, end } of comments) blanked.fill(' ', start, end);
  return withEngine(blanked, (engine) => engine.parse(blanked)).tree;
}

function allTokens(text: Buffer): readonly ScanToken[] {
  return withEngine(text, (engine) => engine.scan(text))?.tokens ?? [];
}

function isComment({ text }: ScanToken): boolean {
  return text.startsWith('--') || text.startsWith('/*');
}

function demandLight(text: Buffer): void {
  // guard: no heavy text is parsed where others wait
  if (!machine.takes(text)) throw new ParserFailure('the text is too long to be parsed here');
}

function withEngine<T>(text: Buffer, work: (engine: Engine) => T): T {
  demandLight(text);
  const engine = machine.engines[0];
  if (!engine) throw replaced(new ParserFailure('the SQL parser is not ready'));
  try {
    return work(engine);
  } catch (cause) {
    machine.engines = machine.engines.filter((other) => other !== engine);
    throw replaced(new ParserFailure('the SQL parser gave up', cause));
  }
}

/** Starts the creation of an instance; the spare takes over at once. If the creation fails, a later parse finds no instance ready. */
function replaced(failure: ParserFailure): ParserFailure {
  loadParser().catch(() => undefined);
  return failure;
}
