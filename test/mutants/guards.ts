/** The guards that keep production safe, each with a change that takes it away and the tests that have to notice. */

export interface Guard {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly text: string;
  /** What it becomes. */
  readonly without: string;
  /** Parts of paths of test files. */
  readonly tests: readonly string[];
}

export const guards: readonly Guard[] = [
  {
    name: 'reads in transactions that may write are made read-only',
    file: 'src/proxy/own-messages.ts',
    text: 'if (!this.state.exposesReads) return;',
    without: 'return;',
    tests: ['proxy/walls.test'],
  },
  {
    name: 'a pinned setting that was changed is set back',
    file: 'src/proxy/settings-watch.ts',
    text: 'return this.lost.size > 0;',
    without: 'return false;',
    tests: ['proxy/walls.test'],
  },
  {
    name: 'statements are prepared anew when a read may have replaced them',
    file: 'src/proxy/staging-steps.ts',
    text: 'statement.reads === state.reads',
    without: 'true',
    tests: ['proxy/walls-left-behind'],
  },
  {
    name: 'a portal that a read may have replaced is not run as a write',
    file: 'src/proxy/extended-execute.ts',
    text: ' && portal.reads === conversation.state.reads',
    without: '',
    tests: ['proxy/walls-left-behind'],
  },
  {
    name: 'volatile functions are refused in staged writes',
    file: 'src/proxy/rewrite.ts',
    text: 'if (harmful) throw',
    without: 'if (harmful && false) throw',
    tests: ['proxy/refusals'],
  },
  {
    name: 'functions with effects are refused in reads',
    file: 'src/sql/functions.ts',
    text: 'return isHarmful(use, context) && !isAllowedFunction(use, allowed);',
    without: 'return false;',
    tests: ['sql/functions'],
  },
  {
    name: 'what runs user code is watched',
    file: 'src/proxy/rewrite.ts',
    text: 'options: isWatched ? watched(options) : options,',
    without: 'options,',
    tests: ['attacks/as-superuser'],
  },
  {
    name: 'the tripwire sees inserted rows',
    file: 'templates/sql/functions/refuse_written.sql',
    text: 'IF FOUND THEN',
    without: 'IF false THEN',
    tests: ['attacks/as-superuser'],
  },
  {
    name: 'names are not resolved where writing is possible',
    file: 'src/proxy/pace.ts',
    text: 'own.guard();',
    without: '',
    tests: ['attacks/as-superuser'],
  },
  {
    name: 'no schema may stand before pg_catalog',
    file: 'src/proxy/rewrite.ts',
    text: 'if (this.names.hidesCatalog) throw hiddenCatalog;',
    without: '',
    tests: ['proxy/refusals'],
  },
  {
    name: 'relations are what they were taken for',
    file: 'templates/sql/functions/enter.sql',
    text: `RAISE EXCEPTION 'the definition of relation`,
    without: `RAISE NOTICE 'the definition of relation`,
    tests: ['proxy/changes-under-way'],
  },
  {
    name: 'a session that is no longer active takes no writes',
    file: 'templates/sql/functions/before_statement.sql',
    text: `IF v_status IS DISTINCT FROM 'active' THEN`,
    without: 'IF false THEN',
    tests: ['review/races', 'e2e/lifecycle'],
  },
  {
    name: 'names of the service are refused',
    file: 'src/proxy/reserved-names.ts',
    text: 'if (!name.startsWith(ownPrefix)) return;',
    without: 'if (name) return;',
    tests: ['proxy/refusals', 'proxy/walls'],
  },
  {
    name: 'an element of the grammar that nobody knows is refused',
    file: 'src/sql/query-uses.ts',
    text: 'note(walk, unknownElement(opened.type));',
    without: 'visitFields(walk, opened.fields, scope);',
    tests: ['sql/'],
  },
  {
    name: 'approval compares the digest',
    file: 'src/review/approve.ts',
    text: 'if (digest !== null && digest !== current) throw',
    without: 'if (digest === current && digest === null) throw',
    tests: ['review/approve', 'rest/review'],
  },
  {
    name: 'BEGIN is followed with the access it was sent with',
    file: 'src/proxy/controls.ts',
    text: `begin(conversation, action.access, replacements.length > 0 ? 'read write' : action.access);`,
    without: `begin(conversation, action.access, 'read only');`,
    tests: ['proxy/walls'],
  },
  {
    name: 'what a literal decides is not taken from another text',
    file: 'src/proxy/query-planner.ts',
    text: `return !statement.verdict.functions.some(({ name }) => name === 'set_config');`,
    without: 'return true;',
    tests: ['proxy/query-planner'],
  },
  {
    name: 'no literal is taken out of what it gives a meaning',
    file: 'src/sql/shape.ts',
    text: `    // A string behind a name in Unicode escapes may say how to read it.
    if (this.text[start - 1] === codes.and) return -1;`,
    without: '',
    tests: ['sql/shape'],
  },
];
