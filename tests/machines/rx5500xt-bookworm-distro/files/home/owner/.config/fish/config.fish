if status is-interactive
    set -g fish_greeting
end
set -gx HSA_OVERRIDE_GFX_VERSION 10.3.0
