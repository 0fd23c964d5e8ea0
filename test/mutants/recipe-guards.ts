/** The guards in the CI recipe. It is copied into the repositories of users, so no comment marks them, and their text locates them. */
import type { UnmarkedGuard } from './guard.ts';

const file = 'templates/ci/stage-change.yml';
const tests = ['e2e/ci-pull-requests'];

export const recipeGuards: readonly UnmarkedGuard[] = [
  {
    name: 'who started a run is not named as who released its deployment',
    file,
    text: `STAGE_APPROVER: \${{ steps.released.outputs.by }} `,
    without: `STAGE_APPROVER: \${{ github.triggering_actor }} `,
    tests,
  },
  {
    name: 'a rejection of a deployment releases nothing',
    file,
    text: `select(.state == "approved" and any(`,
    without: `select(any(`,
    tests,
  },
  {
    name: 'a review of another environment releases nothing',
    file,
    text: `any(.environments[]; .name == "production")`,
    without: `any(.environments[]; true)`,
    tests,
  },
  {
    name: 'a recipe that is not told who released says so',
    file,
    text: `echo "by=\${by:-not told by GitHub}"`,
    without: `echo "by=\${by:-ada}"`,
    tests,
  },
];
