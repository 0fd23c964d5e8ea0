/** The types of the parameters of staged writes: asked of the server once per text, as drivers parse the same ones again. */
import { decodeParameterDescription } from '../wire/backend-decoder.ts';
import type { Names } from './names.ts';
import type { PreparedStatement } from './prepared-statements.ts';

const maxKept = 1000;
/** Longer texts are seldom sent twice. */
const maxTextBytes = 65_536;

export class ParameterTypes {
  private readonly names: Names;
  private readonly kept = new Map<string, readonly number[]>();
  private version = -1;

  constructor(names: Names) {
    this.names = names;
  }

  /** Notes what a ParameterDescription says of a statement. */
  learn(statement: PreparedStatement, description: Buffer): void {
    statement.parameterTypes = decodeParameterDescription(description);
    if (statement.written.length > maxTextBytes) return;
    this.keepUpToDate();
    if (this.kept.size === maxKept) this.kept.clear();
    this.kept.set(keyOf(statement), statement.parameterTypes);
  }

  /** Gives a statement the types that one with the same text had, if its names still mean the same. */
  recall(statement: PreparedStatement): void {
    this.keepUpToDate();
    statement.parameterTypes ??= this.kept.get(keyOf(statement)) ?? null;
  }

  private keepUpToDate(): void {
    if (this.version === this.names.version) return;
    this.version = this.names.version;
    this.kept.clear();
  }
}

function keyOf({ written, types }: PreparedStatement): string {
  return `${types.join(',')}:${written.toString('latin1')}`;
}
