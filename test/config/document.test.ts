/** The documents of the options match their table; `npm run docs` writes them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configReference, configTemplate, trustLists } from '../../src/config/document.ts';
import { loadConfig } from '../../src/config/load.ts';
import { options, settingNames } from '../../src/config/schema.ts';
import { checkGenerated, checkGeneratedPart } from '../helpers/generated.ts';
import { assert, suite } from '../helpers/suite.ts';

const template = 'templates/config/stage.config.yaml';

suite('documentation of the options', (test) => {
  test('stands in docs/configuration.md', () => {
    checkGeneratedPart('docs/configuration.md', 'config', configReference());
    checkGeneratedPart('docs/configuration.md', 'trust', trustLists());
  });

  test('is readable at 80 columns', () => {
    // Text that cannot be broken, such as the form of a line of the token file, may be longer.
    const wide = `${configReference()}${trustLists()}`
      .split('\n')
      .filter((line) => line.length > 80 && !/^\S+$/.test(line) && !line.startsWith('- '));
    assert.equal(wide, []);
  });

  test('stands in the template', () => {
    checkGenerated(template, configTemplate());
  });

  test('gives defaults that can be taken as they stand', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stage-document-'));
    try {
      const text = readFileSync(template, 'utf8').replace(/^#(?=\w)/gm, '');
      writeFileSync(join(folder, 'all.yaml'), text);
      const sources = { env: { HOME: folder }, cwd: folder };
      const loaded = loadConfig({ ...sources, flags: { config: 'all.yaml' } });
      assert.equal(loaded.settings, loadConfig({ ...sources, flags: {} }).settings);
      for (const name of settingNames) {
        const { default: value, defaultText } = options[name];
        const level = value === null || defaultText ? 'default' : 'file';
        // The proxy's address defaults to that of the REST interface, with its origin.
        if (name !== 'proxyHost') assert.is(loaded.origins[name].level, level, name);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('names each key, variable and flag once', () => {
    for (const pick of ['key', 'flag'] as const) {
      const names = settingNames.map((name) => options[name][pick]).filter(Boolean);
      assert.is(new Set(names).size, names.length, pick);
    }
    const variables = settingNames.flatMap((name) => options[name].env);
    assert.is(new Set(variables).size, variables.length);
  });
});
