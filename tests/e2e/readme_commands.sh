#!/usr/bin/env bash
# What README.md and the man page tell their users to type, typed, each with its exit code and words
# that must come.
# Usage, as an ordinary user in a checkout whose .venv the README's first command made:
#   tests/e2e/readme_commands.sh       (in a fresh root: tests/e2e/fresh_root.sh SUITE MIRROR whole)
# It needs a package index for pip's own wheel; torch is a stand-in of a few lines.
set -uo pipefail
# shellcheck source=tests/e2e/environment.sh
. "$(dirname "$0")/environment.sh"
cd "$(dirname "$0")/../.." || exit
checkout=$PWD python=$PWD/.venv/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home PATH=$checkout/.venv/bin:$PATH
mkdir "$HOME"
typed='' failed=0

# CODE WORDS COMMAND: the command ends with that code, and says those words (a basic pattern).
expect() {
    typed+=" $3"$'\n'
    bash -o pipefail -c "$3" >"$work/said" 2>&1 </dev/null
    local code=$?
    if [ "$code" -eq "$1" ] && grep -q -e "$2" "$work/said"; then
        echo "ok      $3"
    else
        echo "FAILED  $3 (exit code $code, not $1; or it does not say '$2')"
        tail -n 15 "$work/said" | sed 's/^/        | /'
        failed=1
    fi
}

files() { find "$HOME" -printf '%P %s %T@\n' | sort; }

echo "== looks: nothing below the home may change"
before=$(files)
recorded=tests/machines/rx5700xt-jammy-clean
expect 0 'DRY RUN' 'rdna1-setup --dry-run'
expect 0 '== More' 'rdna1-setup'
expect 0 'RECORDED MACHINE' 'rdna1-setup --demo'
expect 0 'What do you want to do?' 'echo 0 | rdna1-setup --plain --demo'
expect 0 '^System' 'rdna1-setup detect'
expect 0 '"schema"' 'rdna1-setup detect --json --verify'
expect 1 'kfd-permission' "rdna1-setup diagnose --machine $recorded"
expect 1 '"schema"' "rdna1-setup diagnose --json --machine $recorded"
expect 1 'no code for this card' \
    'echo "RuntimeError: HIP error: invalid device function" | rdna1-setup explain -'
expect 0 'does not recognize any line in this text' 'echo hello | rdna1-setup explain -'
expect 2 'does not exist' 'rdna1-setup explain nowhere.txt'
expect 0 'Large Conv2d' 'rdna1-setup plan'
expect 0 'Plan .*: rocm52' 'rdna1-setup plan --stack rocm52 --evidence'
expect 0 '"steps"' 'rdna1-setup plan --stack cpu --json'
expect 2 'nothing to remove' 'rdna1-setup plan --remove'
expect 2 'left nothing' 'rdna1-setup plan --clean-up'
expect 0 'Nothing was changed, because this was a dry run' 'rdna1-setup apply --stack cpu --dry-run'
expect 0 'Nothing was downloaded' "rdna1-setup fetch --stack cpu --for $recorded --dry-run $work/none"
expect 0 'nothing to remove' 'rdna1-setup remove --dry-run'
expect 0 'left nothing' 'rdna1-setup clean-up --dry-run'
expect 0 'The following would be measured' "rdna1-setup conv2d --python $python --device cpu --dry-run"
expect 0 'no Conv2d measurements' 'rdna1-setup conv2d --list'
expect 0 'there is nothing' 'rdna1-setup test-my-card'
expect 2 'no run to undo' 'rdna1-setup rollback'
expect 0 'No runs yet' 'rdna1-setup rollback --list'
expect 0 'not running anything as root' 'rdna1-setup watch'
expect 0 'games' 'rdna1-setup about'
expect 0 'gfx1030' 'rdna1-setup about override'
expect 0 '^## ' 'rdna1-setup report'
expect 0 'writes nothing' "rdna1-setup report --folder $work/report --zip --dry-run"
expect 0 'rdna1-setup' "source $checkout/assets/completions/rdna1-setup.bash && complete -p rdna1-setup"
[ "$(files)" = "$before" ] || { echo "FAILED  looks changed files:"; diff <(echo "$before") <(files); failed=1; }

echo "== a stack of stand-ins: there, found done, a setting kept, and back"
wheels=$work/wheels venv=$HOME/ai/rocm62
"$python" - "$wheels" <<'END' || failed=1
import sys
from pathlib import Path
from tests.run.wheels import make_wheel
folder = Path(sys.argv[1])
torch = {
    "torch/__init__.py": "from torch.version import __version__ as __version__\n",
    "torch/version.py": "__version__ = '2.5.1+rocm6.2'\nhip = '6.2.0'\n",
}
make_wheel(folder, "torch", "2.5.1+rocm6.2", torch)
for name, version in (("torchvision", "0.20.1+rocm6.2"), ("torchaudio", "2.5.1+rocm6.2")):
    make_wheel(folder, name, version, {f"{name}/__init__.py": ""}, requires=("torch",))
END
options="--stack rocm62 --without-card --wheelhouse $wheels"
expect 1 "$wheels has no suitable wheel for torch" \
    "mv $wheels/torch-* $work && $python -m pip download --quiet --dest $wheels pip setuptools \
    && rdna1-setup apply $options --yes"
mv "$work"/torch-* "$wheels"
expect 0 'Finished' "rdna1-setup apply $options --yes"
expect 0 '2.5.1+rocm6.2' "$venv/bin/python -c 'import torch; print(torch.__version__)'"
expect 0 '"ok": true.*"changed": false' "rdna1-setup apply $options --yes --json"
expect 0 '"id"' "rdna1-setup plan $options --json | tee $work/plan.json"
expect 0 '"changed": false' "rdna1-setup apply --plan $work/plan.json --yes --json"
expect 0 'Finished' "rdna1-setup keep --venv $venv MIOPEN_FIND_MODE=2 --yes"
expect 0 '^2$' "$venv/bin/python -c 'import os; print(os.environ[\"MIOPEN_FIND_MODE\"])'"
expect 0 'Undone' 'rdna1-setup rollback --yes'
expect 0 'keep 1 file of your own' "echo mine >$venv/mine.txt; rdna1-setup rollback --dry-run"
expect 0 'Undone' 'rdna1-setup rollback --yes'
expect 0 'mine.txt' "test \"\$(find $HOME/ai -type f)\" = $venv/mine.txt && echo mine.txt"

echo "== every command was typed"
for command in $("$python" -c 'from wizard.cli.options import COMMANDS; print(*COMMANDS)'); do
    grep -q "rdna1-setup $command" <<<"$typed" || { echo "FAILED  not typed: $command"; failed=1; }
done
[ "$failed" -eq 0 ] && echo "== all of it is as they say"
exit "$failed"
