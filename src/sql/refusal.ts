/** The verdict on a statement that is not run. */
export interface Refusal {
  readonly kind: 'refuse';
  readonly sqlstate: string;
  readonly message: string;
  readonly hint: string;
  /** In characters of a text of several statements, from 1. */
  readonly position?: number;
}
