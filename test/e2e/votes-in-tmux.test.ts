/** Votes and rules in a real pseudo-terminal: who has agreed, as it happens elsewhere, and a way past the policy for those alone whom it names. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { as, documentOf } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Tmux } from '../helpers/tmux.ts';
import { createTmux } from '../helpers/tmux.ts';

const patience = { timeout: 150_000 };
const tokens = [
  testToken({ name: 'bot', role: 'author' }),
  ...['ann', 'bob', 'cat'].map((name) => testToken({ name, role: 'reviewer' })),
  testToken({ name: 'root', role: 'operator' }),
];

suite('votes in tmux', (test) => {
  let rest: TestRest;
  let tmux: Tmux;

  test.before(async () => {
    rest = await startTestRest({ tokens });
    tmux = await createTmux(120, 34);
  });
  test.afterEach(() => tmux.end());
  test.after(async () => {
    await rest.stop();
    await tmux.clear();
  });

  test(
    'are shown as they are given, and whoever is not named has no way past them',
    async () => {
      const { see, press } = tmux;
      const rules = [
        { approvals: { count: 2, from: ['ann', 'bob'] }, max_rows: 9, break_glass: ['cat'] },
      ];
      const document = documentOf(rules);
      await rest.call('PUT', '/policy', as('root', { document }, { 'if-match': '*' }));
      const { body } = await rest.call('POST', '/sessions', as('bot', {}));
      const id = String(body.session_id);
      await rest.write(id, 'UPDATE products SET stock = 77 WHERE id IN (1, 2)');
      await rest.call('POST', `/sessions/${id}/propose`, as('bot', {}));
      await tmux.open(rest.url, id, { STAGE_TOKEN: 'bob' });
      await see(
        /Approvals: 0 of 2 agreed; 2 more of ann, bob\.[\s\S]*holds +r0: at most 9 rows of products/,
      );
      await press('!');
      await see(/No rule that holds for the session names you/);
      assert.is((await rest.call('POST', `/sessions/${id}/approve`, as('ann', {}))).status, 202);
      await see(/Approvals: 1 of 2 agreed: ann; 1 more of bob\./);
      await press('A');
      await see(
        /Approve, and apply[\s\S]*Approvals: 1 of 2 agreed: ann; 1 more of bob\.[\s\S]*digest sha256/,
      );
      await press('yes', 'Enter');
      await see(/APPROVED/);
    },
    patience,
  );
});
