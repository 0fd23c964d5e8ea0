/** Returns the first response that differs. A random difference may not recur, so this text may be all that is known of it. */
export function firstDifference(staged: readonly string[], direct: readonly string[]): string {
  const length = Math.max(staged.length, direct.length);
  const places = Array.from({ length }, (_, index) => index);
  const at = places.find((index) => staged[index] !== direct[index]);
  if (at === undefined) return 'does not differ';
  return `differs at answer ${at + 1}: ${staged[at]} for ${direct[at]}`;
}
