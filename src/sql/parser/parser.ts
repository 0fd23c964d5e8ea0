/**
 * The thread's SQL parser. Parsing is a pure function of the text; what is kept here is its machine: an instance of
 * the WebAssembly parser, and a spare, because deep nesting overflows an instance's stack and leaves it corrupt. It is also the
 * one gate: no text gets to an instance that is heavier than the thread takes.
 */
import type { ParseResult, ScanToken } from 'libpg-query';
import { StageError } from '../../errors.ts';
import { SqlSyntaxError } from './syntax-error.ts';
import { isLight, maxWeight, weightOf } from './text-weight.ts';
import type { CompiledEngine, Engine } from './wasm-engine.ts';
import { compileEngine, createEngine } from './wasm-engine.ts';

/** Raised when the parser gave up on a text that is not known to be wrong, does not take it, or no instance is ready. */
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
  takes: (text: Buffer) => isLight(text, ofOriginal),
};

const enginesReady = 2;
/** What is made of a light text, to prove how it was read, may be longer than the text itself. */
const ofOriginal = 2;
const maxRetriedBytes = 64 * 1024;

/** To be called in a thread that nobody waits for. */
export function allowHeavyTexts(): void {
  // guard: a text has only so many tokens
  machine.takes = (text) => weightOf(text, maxWeight) <= maxWeight;
}

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
  const { tree, fault } = withEngine(text, (engine) => engine.parse(text));
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
 * @param body of the function: in the text it is a literal, which weighs nothing
 * @throws ParserFailure for what is too heavy
 */
export async function parsePlpgsql(text: Buffer, body: Buffer): Promise<object | null> {
  demandLight(body);
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

/** The spare takes over at once. Should making the next one fail, a later parse finds that none is ready. */
function replaced(failure: ParserFailure): ParserFailure {
  loadParser().catch(() => undefined);
  return failure;
}
