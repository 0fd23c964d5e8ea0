/** Caches the parameter types of staged writes. The server is queried once per text, because drivers parse the same texts repeatedly. */
import { decodeParameterDescription } from '../wire/backend-decoder.ts';
import type { Names } from './relation-names.ts';

const maxCached = 1000;
/** Longer texts are rarely repeated. */
const maxTextBytes = 65_536;

/** A statement's whole text, and the types that the client specified. */
export interface TypedText {
  readonly written: Buffer;
  readonly types: readonly number[];
}

export class ParameterTypes {
  private readonly names: Names;
  private readonly cached = new Map<string, readonly number[]>();
  private version = -1;

  constructor(names: Names) {
    this.names = names;
  }

  /** Caches and returns the types in the ParameterDescription for a text. */
  learn(text: TypedText, description: Buffer): readonly number[] {
    const found = decodeParameterDescription(description);
    if (text.written.length > maxTextBytes) return found;
    this.dropOutdated();
    if (this.cached.size === maxCached) this.cached.clear();
    this.cached.set(keyOf(text), found);
    return found;
  }

  /** Returns the cached types of the same text; null if they are unknown, or if names may have changed since. */
  recall(text: TypedText): readonly number[] | null {
    this.dropOutdated();
    return this.cached.get(keyOf(text)) ?? null;
  }

  private dropOutdated(): void {
    if (this.version === this.names.version) return;
    this.version = this.names.version;
    this.cached.clear();
  }
}

function keyOf({ written, types }: TypedText): string {
  return `${types.join(',')}:${written.toString('latin1')}`;
}
