# Completes stage's commands, options, sessions and tables in bash (3.2 or newer).
#   source <(stage completion bash)
_stage() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <(stage __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _stage stage
