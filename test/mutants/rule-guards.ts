/** The guards of approvals that need nobody, wait for their time, or go past the policy. */
import type { Guard } from './guard.ts';

const auto = ['review/auto-approve'];
const scheduled = ['review/scheduled'];
const past = ['rest/break-glass'];
const upkeep = ['review/rules-upkeep'];

export const ruleGuards: readonly Guard[] = [
  {
    name: 'the policy does not approve where the configuration demands people',
    without: '',
    tests: auto,
  },
  { name: 'the policy approves nothing that its author may not see', without: '', tests: auto },
  {
    name: 'the policy approves no session with a flag that its rules do not allow',
    without: 'const flag = others.find(({ code }) => !allowed.includes(code) && false);',
    tests: auto,
  },
  {
    name: 'what was found of a session while others decided it is no reason',
    without: '',
    tests: auto,
  },
  {
    name: 'the policy approves no effects of triggers beyond the staged rows',
    without: '',
    tests: auto,
  },
  {
    name: 'the policy approves rows that land as they were staged',
    without: '',
    lines: 2,
    tests: auto,
  },
  { name: 'where people have to agree the policy does not', without: '', tests: auto },
  { name: 'a revert or a part of a session is approved by people', without: '', tests: auto },
  {
    name: 'a session from which another one was split is a part, too',
    without: 'AS derived',
    tests: auto,
  },
  { name: 'the policy approves nothing where nothing is counted', without: '', tests: auto },
  { name: 'each table is one whose changes the policy approves', without: '', tests: auto },
  { name: 'the policy approves its operations only', without: '', tests: auto },
  { name: 'the policy approves so many rows in all tables together', without: '', tests: auto },
  { name: 'the policy that approves is the one that counts', without: 'return;', tests: auto },
  {
    name: 'the policy does not approve where the configuration demands four eyes',
    without: '',
    tests: auto,
  },
  { name: 'a scheduled time is in the future', without: '', tests: scheduled },
  {
    name: 'a scheduled approval is applied once, and not after it was cancelled',
    without: "if (row === undefined) throw new NotDue('');",
    tests: scheduled,
  },
  {
    name: 'a scheduled approval is not applied before its time',
    without: '',
    tests: scheduled,
  },
  {
    name: 'somebody who may not approve by now approves nothing',
    without: "const { databaseRoles } = find(by.approvedAs ?? '', '');",
    tests: scheduled,
  },
  {
    name: 'an approval that was cancelled is not reported as refused',
    without: '',
    tests: scheduled,
  },
  {
    name: 'votes have to count when the approval is applied',
    without: 'const ballot = present;',
    tests: scheduled,
  },
  {
    name: 'an approval is as old as when it was given',
    without: 'const at = present.now;',
    tests: scheduled,
  },
  { name: 'an approval for a later time is the last one', without: '', tests: scheduled },
  {
    name: 'a scheduled approval is checked for its time',
    without: 'const facts = present;',
    tests: scheduled,
  },
  { name: 'a new proposal has no scheduled approval', without: '', tests: scheduled },
  {
    name: 'only rules that hold for a session let it expire',
    without: '',
    tests: ['review/vote-against-expiry'],
  },
  { name: 'nobody but those named goes past a rule', without: 'people.length > 0', tests: past },
  {
    name: 'an approval past the policy is marked as one',
    without: 'const grounds = null;',
    tests: past,
  },
  {
    name: 'only an approval past the policy is reviewed after it',
    without: '',
    tests: past,
  },
  { name: 'the person who went past the policy does not review it', without: '', tests: past },
  {
    name: 'the audit seals why nobody else had to agree',
    without:
      "THEN pg_catalog.jsonb_build_array('stage.approval.v3', p_number, p_session, p_project_id, p_digest, p_first_position, p_entries,\n  stage.iso_time(p_approved_at), p_approved_by, p_approved_as, p_voters)",
    lines: 2,
    tests: past,
  },
  {
    name: 'a session that was considered does not stop others from being considered',
    without:
      'const open = proposed.slice(0, atOnce).filter((one) => !considered.has(one.key) && isOpen(one));',
    tests: upkeep,
  },
  {
    name: 'a session that cannot be approved does not stop the others',
    without: 'throw error;',
    tests: upkeep,
  },
  {
    name: 'a session that cannot be rejected does not stop the others',
    without: 'throw error;',
    tests: upkeep,
  },
  {
    name: 'an approval that cannot be applied does not stop the others',
    without: 'if (!isRefused) {\nthrow error;',
    tests: upkeep,
  },
  {
    name: 'an approval that fails repeatedly does not stop the others',
    without: '',
    tests: ['review/scheduled-retries'],
  },
  {
    name: 'the pause between attempts grows',
    without: 'const pauseMs = Math.min(most, firstPauseMs);',
    tests: ['review/scheduled'],
  },
  {
    name: 'the policy applies nothing before the time that somebody has set',
    without: '',
    tests: upkeep,
  },
];
