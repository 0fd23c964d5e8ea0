/** Each role is offered the keys whose requests the service allows it, and no others. The keys are those of the bindings. */
import { ApiClient } from '../../src/client/api-client.ts';
import type { Role } from '../../src/model/access.ts';
import { roles } from '../../src/model/access.ts';
import { JsonText } from '../../src/model/json.ts';
import { sessionStatuses } from '../../src/model/session.ts';
import type { Binding } from '../../src/tui/keys.ts';
import { bindings } from '../../src/tui/keys.ts';
import { RequestRunner } from '../../src/tui/request-runner.ts';
import type { State } from '../../src/tui/state/state.ts';
import { panes } from '../../src/tui/state/state.ts';
import type { RecordedOperations } from '../helpers/recorded-operations.ts';
import { recordOperations } from '../helpers/recorded-operations.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { changeOf, session, TestUi } from './screen.ts';

const conflict = {
  ...{ table: 'orders', rowId: new JsonText('1'), field: 'note', kind: 'changed' as const },
  sessionBase: new JsonText('"old"'),
  sessionNew: new JsonText('"new"'),
  productionCurrent: new JsonText('"theirs"'),
};
const policy = { version: '1', verdicts: [], breakGlass: ['ann'] };

/** What is typed into the prompts that a key opens, one after the other. */
const answers: Readonly<Record<string, string>> = {
  ...{ confirm: 'yes', edit: 'yes', time: 'window', reason: 'why', comment: 'text' },
};

/** The states of a session, each with each pane. */
const situations = sessionStatuses.flatMap((status) => panes.map((pane) => ({ status, pane })));
type Situation = (typeof situations)[number];

const escaped = (key: string) => key.replace(/[^\w]/g, '\\$&');

suite('tui: keys and roles', (test) => {
  let rest: TestRest;
  let recorded: RecordedOperations;
  let api: ApiClient;
  const allowed = new Map<Role, readonly string[]>();
  test.before(async () => {
    rest = await startTestRest({ tokens: roles.map((role) => testToken({ name: role, role })) });
    for (const role of roles) {
      const sent = { headers: { authorization: `Bearer ${role}` } };
      allowed.set(role, (await rest.call('GET', '/whoami', sent)).body.operations);
    }
    const headers = { authorization: 'Bearer operator' };
    recorded = await recordOperations(
      (method, path) => rest.call(method, path, { headers }),
      false,
    );
    api = new ApiClient({ server: recorded.url, token: null });
  });
  test.after(async () => {
    await api.close();
    await recorded.stop();
    await rest.stop();
  });

  /** Opens the interface for a role. @param isMarked whether a row is marked for a part */
  function openAs(role: Role, { status, pane }: Situation, isMarked: boolean): TestUi {
    const ui = new TestUi([changeOf({ id: 1, note: 'old' }, { id: 1, note: 'new' })], 400, 100);
    const reviewDue = status === 'approved' ? true : null;
    ui.act({ type: 'session', session: { ...session, status, reviewDue } });
    ui.act({ type: 'conflicts', conflicts: [conflict] });
    ui.act({ type: 'policy', policy });
    // before the role is known, so that what needs a marked row finds one
    if (isMarked) ui.press('m');
    const caller = { name: 'ann', role, rights: [], projects: null };
    ui.act({ type: 'caller', caller: { ...caller, operations: allowed.get(role) ?? [] } });
    while (ui.state.pane !== pane) ui.press('tab');
    return ui;
  }

  const isRequesting = ({ deciding, edit, commenting, rehearsing }: State) =>
    [deciding, edit, commenting, rehearsing].some((work) => work !== null);

  /** Presses a key, and agrees to everything. Returns the operations that it requests. */
  async function requestsOf(ui: TestUi, { keys: [key = ''] }: Binding): Promise<string[]> {
    const before = ui.state;
    ui.press(key);
    for (let asked = 0; ui.state.prompt !== null && asked < 4; asked += 1)
      ui.type(answers[ui.state.prompt.kind] ?? '');
    const after = ui.state;
    ui.state = before;
    if (!isRequesting(after)) return [];
    await new Promise<void>((resolve) => {
      const dispatch = () => resolve();
      const signal = new AbortController().signal;
      const options = { api, id: session.id, approver: 'ann', dispatch, signal, done: () => {} };
      const runner = new RequestRunner(options);
      runner.follow(before);
      runner.follow(after);
    });
    return recorded.take();
  }

  /** Returns the operations that each key requests in any situation. */
  async function requestsAs(role: Role): Promise<Map<Binding, Set<string>>> {
    const requests = new Map<Binding, Set<string>>();
    for (const situation of situations)
      for (const ui of [true, false].map((isMarked) => openAs(role, situation, isMarked)))
        for (const binding of bindings)
          for (const operation of await requestsOf(ui, binding))
            requests.set(binding, (requests.get(binding) ?? new Set()).add(operation));
    return requests;
  }

  const isInFooter = (line: string, { keys: [first = ''] }: Binding) => {
    const key = escaped(first);
    return new RegExp(` ${key} | ${key}/|/${key} `).test(line);
  };
  const isInHelp = (lines: readonly string[], { help, does }: Binding) =>
    lines.some((line) => line.endsWith(`${help}  ${does}`));

  /** Returns the keys that the help, or the line at the bottom, names in any situation. */
  function namedTo(role: Role): { readonly help: Set<Binding>; readonly footer: Set<Binding> } {
    const [help, footer] = [new Set<Binding>(), new Set<Binding>()];
    for (const situation of situations) {
      const ui = openAs(role, situation, true);
      const line = ui.screen.split('\n').at(-1) ?? '';
      ui.press('?');
      const lines = ui.screen.split('\n').map((each) => each.trim());
      for (const binding of bindings) {
        if (isInFooter(line, binding)) footer.add(binding);
        if (isInHelp(lines, binding)) help.add(binding);
      }
    }
    return { help, footer };
  }

  test('an operator is offered every key, and most of what decides sends a request', async () => {
    const requests = await requestsAs('operator');
    const { help } = namedTo('operator');
    assert.is(help.size, bindings.length);
    assert.ok(requests.size >= 14, [...requests.keys()].map(({ does }) => does).join());
  });

  for (const role of roles) {
    test(`${role}: the keys that are named request what it may do, and the others nothing`, async () => {
      const operations = allowed.get(role) ?? [];
      const { help, footer } = namedTo(role);
      for (const [binding, wanted] of await requestsAs('operator')) {
        const may = [...wanted].every((operation) => operations.includes(operation));
        assert.is(help.has(binding), may, `${binding.does} in the help`);
        if (!may) assert.not.ok(footer.has(binding), `${binding.does} at the bottom`);
      }
      for (const [{ does }, wanted] of await requestsAs(role))
        for (const operation of wanted)
          assert.ok(operations.includes(operation), `${does} requests ${operation}`);
    });
  }
});
