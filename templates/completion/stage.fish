# Completes stage's commands, options, sessions and tables in fish.
#   stage completion fish > ~/.config/fish/completions/stage.fish
function __stage_complete
    set -l words (commandline -opc) (commandline -ct)
    stage __complete -- $words[2..-1] 2>/dev/null
end
complete -c stage -f -a '(__stage_complete)'
complete -c stage -l config -r -F
complete -c stage -l token-file -r -F
