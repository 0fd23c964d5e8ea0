/** The types of the parameters of staged writes: asked of the server once per text, as drivers parse the same ones again. */
import { decodeParameterDescription } from '../wire/backend-decoder.ts';
import type { Names } from './relation-names.ts';

const maxKept = 1000;
/** Longer texts are seldom sent twice. */
const maxTextBytes = 65_536;

/** A statement's whole text, and the types that the client prescribed. */
export interface TypedText {
  readonly written: Buffer;
  readonly types: readonly number[];
}

export class ParameterTypes {
  private readonly names: Names;
  private readonly kept = new Map<string, readonly number[]>();
  private version = -1;

  constructor(names: Names) {
    this.names = names;
  }

  /** Notes and gives what a ParameterDescription says of a text. */
  learn(text: TypedText, description: Buffer): readonly number[] {
    const found = decodeParameterDescription(description);
    if (text.written.length > maxTextBytes) return found;
    this.keepUpToDate();
    if (this.kept.size === maxKept) this.kept.clear();
    this.kept.set(keyOf(text), found);
    return found;
  }

  /** Gives the types that the same text had before, if its names still mean the same. */
  recall(text: TypedText): readonly number[] | null {
    this.keepUpToDate();
    return this.kept.get(keyOf(text)) ?? null;
  }

  private keepUpToDate(): void {
    if (this.version === this.names.version) return;
    this.version = this.names.version;
    this.kept.clear();
  }
}

function keyOf({ written, types }: TypedText): string {
  return `${types.join(',')}:${written.toString('latin1')}`;
}
