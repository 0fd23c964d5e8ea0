/**
 * The process's SQL parser. Parsing is a pure function of the text; what is kept here is its machine: an instance of
 * the WebAssembly parser, and a spare, because deep nesting overflows an instance's stack and leaves it corrupt.
 */
import type { ParseResult, ScanToken } from 'libpg-query';
import { SqlSyntaxError } from './syntax-error.ts';
import type { CompiledEngine, Engine } from './wasm-engine.ts';
import { compileEngine, createEngine } from './wasm-engine.ts';

/** Raised when the parser gave up on a text that is not known to be wrong, or no instance is ready. */
export class ParserFailure extends Error {}

const machine = {
  compiled: null as Promise<CompiledEngine> | null,
  filling: null as Promise<void> | null,
  engines: [] as Engine[],
};

const enginesReady = 2;
const maxRetriedBytes = 64 * 1024;

/** Makes the parser ready. To be awaited once before anything is parsed; further calls only wait. */
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
 * @returns the statements' raw parse trees; locations are byte offsets.
 * @throws SqlSyntaxError for a text that PostgreSQL would not accept.
 * @throws ParserFailure for one that is too deeply nested to be parsed here.
 */
export function parseTree(text: Buffer): ParseResult {
  const { tree, fault } = withEngine((engine) => engine.parse(text));
  if (tree) return tree;
  const retried = parseWithoutComments(text);
  if (retried) return retried;
  const position = fault.position > 0 ? fault.position : null;
  throw new SqlSyntaxError(fault.message, position, isLacking(fault.message) ? '0A000' : '42601');
}

/** The grammar knows some things only to say that PostgreSQL does not have them. */
const isLacking = (message: string) =>
  /not (yet )?implemented$|only supported for ON DELETE actions$|no longer supported$|constraints cannot be (altered|marked) /.test(
    message,
  );

/** Splits a text that has been parsed into PostgreSQL's own tokens, comments left out. */
export function scanTokens(text: Buffer): readonly ScanToken[] {
  return allTokens(text).filter((token) => !isComment(token));
}

/**
 * Takes a CREATE FUNCTION apart whose language is PL/pgSQL. Gives null for what cannot be read. An instance of its own: what
 * compiling somebody's function leaves behind in one, no statement is classified by.
 */
export async function parsePlpgsql(text: Buffer): Promise<object | null> {
  machine.compiled ??= compileEngine();
  const engine = await createEngine(await machine.compiled);
  try {
    return engine.parsePlpgsql(text);
  } catch {
    return null;
  }
}

/**
 * libpg-query does not look across comments where PostgreSQL does: after NOT, NULLS, WITH, WITHOUT, FORMAT, before
 * UESCAPE and between the parts of a string. To PostgreSQL a comment is a space, so spaces of the same length stand in.
 */
function parseWithoutComments(text: Buffer): ParseResult | null {
  // Scanning is slow, and most wrong texts have no comments.
  if (text.length > maxRetriedBytes || !(text.includes('--') || text.includes('/*'))) return null;
  const comments = allTokens(text).filter(isComment);
  if (comments.length === 0) return null;
  const blanked = Buffer.from(text);
  for (const { start, end } of comments) blanked.fill(' ', start, end);
  return withEngine((engine) => engine.parse(blanked)).tree;
}

function allTokens(text: Buffer): readonly ScanToken[] {
  return withEngine((engine) => engine.scan(text))?.tokens ?? [];
}

function isComment({ text }: ScanToken): boolean {
  return text.startsWith('--') || text.startsWith('/*');
}

function withEngine<T>(work: (engine: Engine) => T): T {
  const engine = machine.engines[0];
  if (!engine) throw replaced(new ParserFailure('the SQL parser is not ready'));
  try {
    return work(engine);
  } catch (cause) {
    machine.engines = machine.engines.filter((other) => other !== engine);
    throw replaced(new ParserFailure('the SQL parser gave up', { cause }));
  }
}

/** The spare takes over at once. Should making the next one fail, a later parse finds that none is ready. */
function replaced(failure: ParserFailure): ParserFailure {
  loadParser().catch(() => undefined);
  return failure;
}
