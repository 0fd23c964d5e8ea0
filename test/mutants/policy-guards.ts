/** The guards of the policy and of votes. */
import type { Guard } from './guard.ts';

export const policyGuards: readonly Guard[] = [
  {
    name: 'nobody proposes more in a day than the policy allows',
    without: '',
    tests: ['rest/budgets'],
  },
  {
    name: 'a statement stages no more than its author may propose today',
    without: 'WHERE false);',
    tests: ['rest/budgets-staged'],
  },
  {
    name: 'proposals of one author wait for each other',
    without: '',
    tests: ['rest/budgets'],
  },
  {
    name: 'budgets are refused where tokens have no names',
    without: '',
    tests: ['rest/policy-documents'],
  },
  {
    name: 'the policy checks a statement at its end',
    without: '',
    tests: ['proxy/limits.test', 'proxy/limits-attacks'],
  },
  {
    name: 'rows of foreign key actions are checked by the policy',
    without: '',
    tests: ['proxy/limits.test'],
  },
  {
    name: 'rows of tables that inherit are checked, too',
    without:
      'SELECT i.inhrelid FROM staged s JOIN pg_inherits i ON i.inhparent = s.relation AND false',
    tests: ['proxy/limits.test'],
  },
  {
    name: 'rows of triggers do not count against the limits of a statement',
    without: "'', p_relation)",
    tests: ['proxy/limits.test'],
  },
  {
    name: 'a denied operation is refused when it is staged',
    without: 'WHERE false',
    tests: ['proxy/limits-attacks'],
  },
  {
    name: 'a statement that exceeds the limit of its session reports it',
    without: 'WHERE false',
    tests: ['proxy/limits-attacks'],
  },
  {
    name: 'a statement changes no more rows than the policy allows',
    without: 'WHERE false);',
    tests: ['proxy/limits-attacks'],
  },
  {
    name: 'a statement that the policy has refused is not staged again row by row',
    without: '',
    tests: ['proxy/limits-attacks'],
  },
  {
    name: 'a person is a name in upper or lower case',
    without: 'return name;',
    tests: ['rest/voters'],
  },
  {
    name: 'a role in another project agrees to nothing',
    without: 'const accepted = current.filter((token) => isInScope(token, projectId) || true);',
    tests: ['rest/voters'],
  },
  {
    name: 'a vote counts while a token of the voter may approve',
    without: 'const excluded = part ?? (refusal === null ? null : null);',
    tests: ['rest/voters'],
  },
  {
    name: 'a vote is renewed before it is too old',
    without: 'const isRecorded = adds || (before.some((one) => renews(one, as, ballot)) && false);',
    tests: ['rest/voters'],
  },
  {
    name: 'rows that triggers write again at approval are not counted',
    without: "'', relation)",
    tests: ['rest/policy-triggers'],
  },
  {
    name: 'a denied column is not given to production behind a trigger',
    without: 'INTO v_found USING NULL::uuid;',
    tests: ['rest/policy-triggers'],
  },
  {
    name: 'a denied column is not set back after a trigger',
    without: 'INTO v_found USING NULL::uuid, NULL::bigint[];',
    tests: ['rest/policy-triggers'],
  },
  {
    name: 'the windows of a document are few',
    without: '',
    lines: 2,
    tests: ['review/policy-document'],
  },
  {
    name: 'a document costs no more than its first faults',
    without: '',
    tests: ['review/policy-names'],
  },
  {
    name: 'the policy can demand four eyes',
    without: 'const fourEyes = approval.fourEyes === true;',
    tests: ['rest/votes'],
  },
  {
    name: 'a vote splits nothing',
    without: '',
    tests: ['rest/votes'],
  },
  {
    name: 'nobody without a name is counted',
    without: 'if (as === null) return { last: true, voters: [] };',
    tests: ['rest/policy-documents'],
  },
  {
    name: 'changes that the policy denies are not proposed',
    without: '',
    tests: ['rest/policy'],
  },
  {
    name: 'changes that the policy denies are not approved',
    without: '',
    tests: ['rest/policy'],
  },
  {
    name: 'an old proposal is not approved',
    without: '',
    tests: ['rest/policy'],
  },
  {
    name: 'nothing is approved outside of the windows',
    without: '',
    tests: ['rest/policy'],
  },
  {
    name: 'a rule for a table holds under any name of the table',
    without: 'false ||',
    tests: ['rest/policy'],
  },
  {
    name: 'a rule for a table holds for its children',
    without: 'SELECT i.inhparent FROM above a JOIN pg_inherits i ON i.inhrelid = a.oid AND false',
    tests: ['rest/policy'],
  },
  {
    name: 'a name that means nothing is no name of a policy',
    without: '',
    tests: ['rest/policy'],
  },
  {
    name: 'approvals are not counted where tokens have no names',
    without: '',
    tests: ['rest/policy-documents'],
  },
  {
    name: 'a version of the policy follows the one that its author has seen',
    without: '',
    tests: ['rest/policy'],
  },
  {
    name: 'only an operator sets the policy',
    without: "right: 'review',",
    tests: ['rest/policy'],
  },
  {
    name: 'rules for all projects are set by somebody of all projects',
    without: '',
    tests: ['rest/policy'],
  },
  {
    name: 'no policy is set between the check of an approval and its end',
    without: '',
    tests: ['rest/votes'],
  },
  {
    name: 'a vote counts in its round only',
    without: '',
    tests: ['rest/votes'],
  },
  {
    name: 'a vote counts for the diff that was reviewed',
    without: '',
    tests: ['rest/votes'],
  },
  {
    name: 'a vote of somebody who may not agree does not count',
    without: '',
    tests: ['rest/votes'],
  },
  {
    name: 'an old vote does not count',
    without: '',
    tests: ['rest/votes'],
  },
  {
    name: 'nobody but those named agrees',
    without: '',
    tests: ['rest/votes'],
  },
  {
    name: 'nobody votes twice',
    without: 'const person = String(newest.size);',
    tests: ['rest/votes'],
  },
  {
    name: 'whom the policy does not name does not approve',
    without: '',
    tests: ['rest/votes'],
  },
  {
    name: 'an approval that is not the last one applies nothing',
    without: 'if (after.length > 0) return { last: true, voters: votersOf(after, as) };',
    tests: ['rest/votes'],
  },
  {
    name: 'the audit seals the names of all who agreed',
    without:
      "ELSE pg_catalog.jsonb_build_array('stage.approval.v1', p_number, p_session, p_project_id, p_digest, p_first_position, p_entries,",
    tests: ['rest/votes'],
  },
];
