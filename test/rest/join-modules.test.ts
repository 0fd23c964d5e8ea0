/** The script of the review page: its modules, joined. */
import { joinModules } from '../../src/rest/browser/join-modules.ts';
import { readPage } from '../../src/rest/browser/page-files.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('rest: joined modules', (test) => {
  const join = (modules: Readonly<Record<string, string>>) =>
    joinModules('a/main.js', (path) => modules[path] ?? '');
  const resultOf = (script: string) =>
    new Function(`"use strict";${script}\nreturn globalThis.joined;`)();

  test('each sees the exports that it imports, and nothing else of others', () => {
    const script = join({
      'a/main.js': [
        'import { one, Two as Other } from "./one.js";',
        "import {\n  later,\n  one as again,\n} from '../b/later.js';",
        'const hidden = "mine";',
        'globalThis.joined = [one, new Other().value, hidden, typeof own, again];',
        'void later().then((value) => globalThis.joined.push(value));',
      ].join('\n'),
      'a/one.js':
        'const own = 1;\nconst hidden = 2;\nexport const one = own + hidden;\nexport class Two { value = one; }',
      'b/later.js':
        'import { one } from "../a/one.js";\nexport async function later() { return one; }\nexport const other = one;',
    });
    assert.equal(resultOf(script).slice(0, 4), [3, 3, 'mine', 'undefined']);
    assert.is(script.match(/own \+ hidden/g)?.length, 1);
  });

  test('other imports and exports, and circles, are refused', () => {
    for (const line of [
      'import "./one.js";',
      'import * as all from "./one.js";',
      'export default 1;',
      'export { one };',
    ])
      assert.throws(() => join({ 'a/main.js': line }), /cannot be joined/);
    const circle = {
      'a/main.js': 'import { b } from "./b.js";',
      'a/b.js': 'import { a } from "./main.js";',
    };
    assert.throws(() => join(circle), /a\/main\.js imports itself/);
  });

  test('the page is one script, which parses', () => {
    const [, script = ''] = /<script type="module">([\s\S]*)<\/script>/.exec(readPage().text) ?? [];
    assert.match(script, /^\/\/ client\/sha256\.js$/m);
    assert.type(new Function(`"use strict";${script}`), 'function');
    assert.not.match(script, /node:/);
  });
});
