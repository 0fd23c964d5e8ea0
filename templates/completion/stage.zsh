#compdef stage
# Completes stage's commands, options, sessions and tables in zsh.
#   source <(stage completion zsh)
_stage() {
  local line
  local -a values lines
  for line in "${(@f)$(stage __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    values+=("${line%%$'\t'*}")
    lines+=("${line/$'\t'/  -- }")
  done
  if (( $#values )); then
    compadd -l -d lines -a values
  else
    _files
  fi
}
compdef _stage stage
