/**
 * Counts the steps of a WebAssembly program. The count is the same for the same input on every machine: each function entered, and each
 * iteration of a loop, adds one to a global. The binary is rewritten before it is compiled.
 * https://webassembly.github.io/spec/core/binary/
 */

/** The parts of the global `WebAssembly` that are used here. Only the types of browsers declare it. */
interface Compiler {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (compiled: object, imports: object) => Instance;
}

interface Instance {
  readonly exports: Readonly<Record<string, { value: bigint }>>;
}

const counterName = 'steps_counted';
const sections = { import: 2, global: 6, export: 7, code: 10 } as const;
const loop = 0x03;

/**
 * Makes all binaries compiled from now on count their steps.
 * @returns a function that returns the steps so far of all instances created from now on
 */
export function meterWebAssembly(): () => number {
  const { WebAssembly: compiler } = globalThis as unknown as { WebAssembly: Compiler };
  const { compile, Instance: Original } = compiler;
  const instances: Instance[] = [];
  compiler.compile = (bytes) => compile(withCounter(bytes));
  compiler.Instance = class extends Original {
    constructor(compiled: object, imports: object) {
      super(compiled, imports);
      instances.push(this as unknown as Instance);
    }
  };
  return () =>
    instances.reduce((sum, { exports }) => sum + Number(exports[counterName]?.value ?? 0n), 0);
}

/** Reads a binary from a position on. */
class Reader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new Error('the binary ends too early');
    this.at += 1;
    return byte;
  }

  /** Reads a number of at most 32 bits. For signed and longer ones, only the position after the number is correct. */
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  take(length: number): Uint8Array {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

function withCounter(bytes: Uint8Array): Uint8Array {
  const reader = new Reader(bytes, 8);
  const read: { id: number; content: Uint8Array }[] = [];
  while (reader.at < bytes.length) {
    const id = reader.byte();
    read.push({ id, content: reader.take(reader.number()) });
  }
  const contentOf = (id: number) => read.find((section) => section.id === id)?.content;
  const index =
    importedGlobals(contentOf(sections.import)) + countOf(contentOf(sections.global) ?? noSection);
  const name = Buffer.from(counterName);
  const counter = [0x7e, 1, 0x42, 0, 0x0b];
  const exported = [...encoded(name.length), ...name, 3, ...encoded(index)];
  const pieces: Uint8Array[] = [bytes.subarray(0, 8)];
  for (const { id, content } of read) {
    let made = content;
    if (id === sections.global) made = extended(content, counter);
    if (id === sections.export) made = extended(content, exported);
    if (id === sections.code) made = countingCode(content, index);
    pieces.push(Uint8Array.from([id, ...encoded(made.length)]), made);
  }
  return Buffer.concat(pieces);
}

const noSection = Uint8Array.of(0);
const countOf = (content: Uint8Array) => new Reader(content).number();

function encoded(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...encoded(Math.floor(value / 0x80))];
}

/** Returns a section with one more entry. */
function extended(content: Uint8Array, entry: readonly number[]): Uint8Array {
  const reader = new Reader(content);
  const count = reader.number() + 1;
  return Buffer.concat([
    Uint8Array.from(encoded(count)),
    content.subarray(reader.at),
    Uint8Array.from(entry),
  ]);
}

function importedGlobals(content: Uint8Array = noSection): number {
  const reader = new Reader(content);
  let globals = 0;
  for (let left = reader.number(); left > 0; left -= 1) {
    reader.take(reader.number());
    reader.take(reader.number());
    const kind = reader.byte();
    if (kind === 0) reader.number();
    else if (kind === 3) {
      reader.take(2);
      globals += 1;
    } else {
      if (kind === 1) reader.byte();
      const hasMost = (reader.byte() & 1) === 1;
      reader.number();
      if (hasMost) reader.number();
    }
  }
  return globals;
}

function countingCode(content: Uint8Array, counter: number): Uint8Array {
  const count = Buffer.from([
    ...[0x23, ...encoded(counter), 0x42, 1, 0x7c],
    ...[0x24, ...encoded(counter)],
  ]);
  const reader = new Reader(content);
  const functions = reader.number();
  const pieces: Uint8Array[] = [Uint8Array.from(encoded(functions))];
  for (let left = functions; left > 0; left -= 1) {
    const body = countingBody(reader.take(reader.number()), count);
    pieces.push(Uint8Array.from(encoded(body.length)), body);
  }
  return Buffer.concat(pieces);
}

function countingBody(body: Uint8Array, count: Uint8Array): Uint8Array {
  const reader = new Reader(body);
  for (let locals = reader.number(); locals > 0; locals -= 1) {
    reader.number();
    reader.byte();
  }
  const pieces = [body.subarray(0, reader.at), count];
  let copied = reader.at;
  while (reader.at < body.length) {
    const code = reader.byte();
    skipOperands(reader, code);
    if (code !== loop) continue;
    pieces.push(body.subarray(copied, reader.at), count);
    copied = reader.at;
  }
  return Buffer.concat([...pieces, body.subarray(copied)]);
}

/** How many numbers follow an instruction, for those that always have the same. */
const operands = new Map<number, number>([
  ...[0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0d, 0x10, 0x12, 0x18].map(one),
  ...[0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].map(one),
  [0x11, 2],
  [0x13, 2],
]);
const ofMemory = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

function one(code: number): [number, number] {
  return [code, 1];
}

function skipOperands(reader: Reader, code: number): void {
  if (code >= 0x28 && code <= 0x3e) skipNumbers(reader, 2);
  else if (code === 0x0e || code === 0x1c)
    skipNumbers(reader, reader.number() + (code === 0x0e ? 1 : 0));
  else if (code === 0x43) reader.take(4);
  else if (code === 0x44) reader.take(8);
  else if (code === 0xfc) skipNumbers(reader, ofMemory[reader.number()] ?? 0);
  else if (code === 0xfd || code === 0x1f) throw new Error(`instruction ${code} is not known`);
  else skipNumbers(reader, operands.get(code) ?? 0);
}

function skipNumbers(reader: Reader, count: number): void {
  for (let left = count; left > 0; left -= 1) reader.number();
}
