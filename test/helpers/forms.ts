/**
 * Forms in which a case is sent. If each case in each form would take long, `npm test` alternates the forms over the cases.
 * `STAGE_TEST_FORMS=all`, which `npm run nets` sets, sends each case in each form.
 */

/** Whether each case is sent in each form. */
export const sendsAll = process.env['STAGE_TEST_FORMS'] === 'all';

/**
 * Returns the forms of one case: every `step`-th of them, or all of them with STAGE_TEST_FORMS=all.
 * @param turn number of the case: `step` consecutive cases cover all forms together
 */
export function formsInTurn<Form>(forms: readonly Form[], turn: number, step: number): Form[] {
  return forms.filter((_, nth) => sendsAll || nth % step === turn % step);
}
