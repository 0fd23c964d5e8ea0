/** The verdict on a statement that the proxy refuses. */
export interface Refusal {
  readonly kind: 'refuse';
  readonly sqlstate: string;
  readonly message: string;
  readonly hint: string;
  /** In characters from 1, counted over the whole text of several statements. */
  readonly position?: number;
}
