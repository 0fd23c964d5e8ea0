/**
 * A cache with approximate LRU eviction. It has two generations, each of at most half the size. A used entry moves to the younger
 * generation. When the younger one is full, the older one is dropped. A hit costs one lookup.
 */

interface Generation<Value> {
  readonly entries: Map<string, Value>;
  /** Total length of the keys, one byte per character. */
  bytes: number;
}

export class Recent<Value> {
  private readonly size: number;
  private readonly maxBytes: number;
  private young: Generation<Value> = { entries: new Map(), bytes: 0 };
  private old = this.young;

  /**
   * @param size maximum number of entries
   * @param maxBytes maximum total length of all keys
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
