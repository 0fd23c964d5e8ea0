/**
 * A map that forgets what has not been used for long: two generations, each up to half the size; what is used moves to the
 * younger one, and when that is full, the older one goes. A hit costs one look-up.
 */

interface Generation<Value> {
  readonly entries: Map<string, Value>;
  /** Of the keys, a byte a character. */
  bytes: number;
}

export class Recent<Value> {
  private readonly size: number;
  private readonly maxBytes: number;
  private young: Generation<Value> = { entries: new Map(), bytes: 0 };
  private old = this.young;

  /**
   * @param size how many entries are kept
   * @param maxBytes bound of all keys together
   */
  constructor(size: number, maxBytes: number) {
    this.size = size;
    this.maxBytes = maxBytes;
  }

  get(key: string): Value | undefined {
    const known = this.young.entries.get(key);
    if (known !== undefined) return known;
    const former = this.old.entries.get(key);
    if (former !== undefined) this.set(key, former);
    return former;
  }

  set(key: string, value: Value): void {
    const { entries, bytes } = this.young;
    if (entries.size >= this.size / 2 || bytes + key.length > this.maxBytes / 2) {
      this.old = this.young;
      this.young = { entries: new Map(), bytes: 0 };
    }
    this.young.entries.set(key, value);
    this.young.bytes += key.length;
  }
}
