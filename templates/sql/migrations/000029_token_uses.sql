-- When each token of the REST API was last used, to the minute. A token is known by a hash of its hash, as in stage.login.
CREATE TABLE stage.token_use (
  token bytea PRIMARY KEY CHECK (octet_length(token) = 32),
  used_at timestamptz NOT NULL
);

REVOKE ALL ON stage.token_use FROM PUBLIC;
