/** An instance of PostgreSQL's parser compiled to WebAssembly. This module knows libpg-query's memory layout, but no SQL. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { ParseResult, ScanResult } from 'libpg-query';

/** An error that PostgreSQL's grammar reports for a text. */
export interface GrammarFault {
  readonly message: string;
  /** In characters, from 1; 0 if the parser reports none. */
  readonly position: number;
}

export type ParseOutcome =
  | { readonly tree: ParseResult; readonly fault: null }
  | { readonly tree: null; readonly fault: GrammarFault };

/** A parser instance. If a method throws, the instance's memory may be corrupt, and it must not be used again. */
export interface Engine {
  parse(text: Buffer): ParseOutcome;
  /** Returns null for a text that cannot be split into tokens. */
  scan(text: Buffer): ScanResult | null;
}

/** An instance for functions in PL/pgSQL, each of which meets the memory of a new instance. If `parse` throws, it must not be used again. */
export interface PlpgsqlEngine {
  /** Parses a CREATE FUNCTION. Returns the error's message for a body that it cannot parse. */
  parse(text: Buffer): object | string;
}

interface WasmModule {
  readonly HEAPU8: Uint8Array;
  getValue(pointer: number, type: 'i32'): number;
  UTF8ToString(pointer: number): string;
  _malloc(size: number): number;
  _free(pointer: number): void;
  _wasm_parse_query_raw(text: number): number;
  _wasm_free_parse_result(result: number): void;
  _wasm_scan(text: number): number;
  _wasm_parse_plpgsql(text: number): number;
  _wasm_free_string(text: number): void;
}

/** The compiled parser, from which instances are created. */
export type CompiledEngine = object;

/** A global of Node. Its types come only with those of browsers. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<CompiledEngine>;
  readonly Instance: new (compiled: CompiledEngine, imports: object) => object;
};

interface FactoryOptions {
  instantiateWasm(imports: object, receive: (instance: object) => void): void;
  print(line: string): void;
  printErr(line: string): void;
}

const require = createRequire(import.meta.url);
const factory = require('libpg-query/wasm/libpg-query.js') as (
  options: FactoryOptions,
) => Promise<WasmModule>;

/** Compiles the parser, in about 15 ms. Called once. */
export async function compileEngine(): Promise<CompiledEngine> {
  return WebAssembly.compile(await readFile(require.resolve('libpg-query/wasm/libpg-query.wasm')));
}

/** Creates an instance of the compiled parser. */
export async function createEngine(compiled: CompiledEngine): Promise<Engine> {
  const wasm = await instantiate(compiled);
  return {
    parse: (text) => withText(wasm, text, (pointer) => parse(wasm, pointer)),
    scan: (text) => withText(wasm, text, (pointer) => scan(wasm, pointer)),
  };
}

/**
 * Creates an instance for functions in PL/pgSQL. Their parser keeps state in static variables. An instance for each function would have none
 * left, but takes 128 MB of addresses, which make V8 collect garbage at once.
 */
export async function createPlpgsqlEngine(compiled: CompiledEngine): Promise<PlpgsqlEngine> {
  const wasm = await instantiate(compiled);
  const initial = wasm.HEAPU8.slice(0, endOfStatics(wasm.HEAPU8));
  return {
    parse(text) {
      // includes the state of the allocator, to which the whole heap is free again
      wasm.HEAPU8.set(initial);
      return withText(wasm, text, (pointer) => parsePlpgsql(wasm, pointer));
    },
  };
}

/**
 * Returns an address behind the static variables of a new instance. The stack of 32 MB follows them, and grows towards them, so that its
 * far end is zero, and need not be kept.
 */
function endOfStatics(memory: Uint8Array): number {
  const zeros = Buffer.alloc(2 ** 20);
  let end = 0;
  while (!zeros.equals(memory.subarray(end, end + zeros.length))) end += zeros.length;
  // variables that are zero may follow the last one that is not
  return end + zeros.length;
}

function instantiate(compiled: CompiledEngine): Promise<WasmModule> {
  return factory({
    instantiateWasm: (imports, receive) => receive(new WebAssembly.Instance(compiled, imports)),
    print: () => undefined,
    printErr: () => undefined,
  });
}

/** Runs `work` on a zero-terminated copy of the text. If it throws, nothing is freed: the instance is discarded anyway. */
function withText<T>(wasm: WasmModule, text: Buffer, work: (pointer: number) => T): T {
  const pointer = allocated(wasm._malloc(text.length + 1));
  wasm.HEAPU8.set(text, pointer);
  wasm.HEAPU8[pointer + text.length] = 0;
  const result = work(pointer);
  wasm._free(pointer);
  return result;
}

/** Reads `PgQueryParseResult { char *tree; char *stderr; PgQueryError *error }`. */
function parse(wasm: WasmModule, text: number): ParseOutcome {
  const result = allocated(wasm._wasm_parse_query_raw(text));
  const error = wasm.getValue(result + 8, 'i32');
  const outcome: ParseOutcome = error
    ? { tree: null, fault: readFault(wasm, error) }
    : {
        tree: JSON.parse(readText(wasm, wasm.getValue(result, 'i32'))) as ParseResult,
        fault: null,
      };
  wasm._wasm_free_parse_result(result);
  return outcome;
}

/** Reads `PgQueryError { char *message; char *function; char *file; int line; int position; ... }`. */
function readFault(wasm: WasmModule, error: number): GrammarFault {
  return {
    message: readText(wasm, wasm.getValue(error, 'i32')),
    position: wasm.getValue(error + 16, 'i32'),
  };
}

function scan(wasm: WasmModule, text: number): ScanResult | null {
  const pointer = allocated(wasm._wasm_scan(text));
  // The scanner copies control characters of the text into its JSON unescaped. Only the offsets are used.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are meant
  const json = readText(wasm, pointer).replace(/[\u0000-\u001f]/g, ' ');
  wasm._wasm_free_string(pointer);
  // Anything other than JSON is an error message.
  return json.startsWith('{') ? (JSON.parse(json) as ScanResult) : null;
}

function parsePlpgsql(wasm: WasmModule, text: number): object | string {
  const pointer = allocated(wasm._wasm_parse_plpgsql(text));
  const json = readText(wasm, pointer);
  wasm._wasm_free_string(pointer);
  // Anything other than JSON is an error message.
  return json.startsWith('{') ? (JSON.parse(json) as object) : json;
}

function readText(wasm: WasmModule, pointer: number): string {
  return wasm.UTF8ToString(allocated(pointer));
}

function allocated(pointer: number): number {
  if (pointer === 0) throw new Error('the SQL parser is out of memory');
  return pointer;
}
