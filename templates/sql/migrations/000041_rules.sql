-- Approvals that wait for their time, approvals by the policy, and approvals past it.
ALTER TABLE stage.decision DROP CONSTRAINT IF EXISTS decision_verdict_check, DROP CONSTRAINT IF EXISTS decision_digest;
ALTER TABLE stage.decision
  ADD CONSTRAINT decision_verdict_check CHECK (verdict IN
    ('approve', 'vote', 'schedule', 'unschedule', 'reject', 'request_changes', 'withdraw', 'expire', 'review')),
  ADD CONSTRAINT decision_digest CHECK ((verdict IN ('approve', 'vote', 'schedule')) = (digest IS NOT NULL));

-- A scheduled approval: the number of its decision, and when it is applied. Any other change of the state ends it.
ALTER TABLE stage.session ADD COLUMN IF NOT EXISTS scheduled bigint, ADD COLUMN IF NOT EXISTS apply_at timestamptz;
CREATE INDEX IF NOT EXISTS session_scheduled ON stage.session (apply_at) WHERE scheduled IS NOT NULL;

-- The reason of an approval past the policy, and who reviewed it after that.
ALTER TABLE stage.session ADD COLUMN IF NOT EXISTS break_glass text, ADD COLUMN IF NOT EXISTS reviewed_at timestamptz,
  ADD COLUMN IF NOT EXISTS reviewed_as text;
CREATE INDEX IF NOT EXISTS session_review_due ON stage.session (approved_at) WHERE break_glass IS NOT NULL AND reviewed_at IS NULL;

-- Why an approval was one although nobody, or not everybody whom the policy demands, agreed; null for others. The hash covers it.
ALTER TABLE stage.approval ADD COLUMN IF NOT EXISTS grounds jsonb CHECK (jsonb_typeof(grounds) = 'object');
