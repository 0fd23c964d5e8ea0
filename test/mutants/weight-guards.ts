/** The guards that bound what a client's text may cost other clients. */
import type { Guard } from './guard.ts';

export const weightGuards: readonly Guard[] = [
  {
    name: 'a text has only so many tokens',
    without: 'machine.takes = () => true;',
    tests: ['sql/text-weight'],
  },
  {
    name: 'a run of operator letters has a largest length',
    without: '',
    tests: ['sql/text-weight'],
  },
  {
    name: 'elements that the tree repeats count as often',
    without: '',
    tests: ['sql/text-weight'],
  },
  {
    name: 'nested groupings are visited a bounded number of times',
    without: '',
    tests: ['sql/parse-gate'],
  },
  { name: 'no heavy text is parsed where others wait', without: '', tests: ['sql/parse-gate'] },
  { name: 'heavy texts are parsed apart', without: '', tests: ['sql/parse-gate'] },
  {
    name: 'heavy bodies are read apart',
    without: 'return readFunctionBody(text);',
    tests: ['sql/parse-gate'],
  },
  {
    name: 'the texts that wait to be parsed are bounded',
    without: '',
    tests: ['sql/parse-thread'],
  },
  { name: 'a text has only so much time', without: '', tests: ['sql/parse-thread'] },
  { name: 'nothing is parsed for a client that is gone', without: '', tests: ['sql/parse-thread'] },
];
