# shellcheck shell=bash
# Sourced first by .ci/run and by the scripts of this folder, so that what they find does not depend
# on who starts them: where the environment holds anything but what is named here, they start anew
# without it. Afterwards `reaches` has, as NAME=VALUE, what this machine needs to reach its packages.
needed='SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE'
needed+='|(http|https|all|no)_proxy|(HTTP|HTTPS|ALL|NO)_PROXY'
needed+='|PIP_((CLIENT_)?CERT|CONFIG_FILE|PROXY|TRUSTED_HOST|NO_INDEX|(EXTRA_)?INDEX_URL|FIND_LINKS)'
needed+='|UV_(CONFIG_FILE|INSECURE_HOST|NATIVE_TLS|SYSTEM_CERTS|(DEFAULT_|NO_)?INDEX|(EXTRA_)?INDEX_URL'
needed+='|FIND_LINKS|PYTHON_INSTALL_MIRROR)'
ours='HOME|PATH|RDNA1_SETUP_.*'
export LANG=C.UTF-8
of_bash='LANG|PWD|OLDPWD|SHLVL|_'

reaches=() kept=("LANG=$LANG") more=
while IFS= read -r -d '' setting; do
    if [[ ${setting%%=*} =~ ^($needed)$ ]]; then
        reaches+=("$setting")
    elif [[ ${setting%%=*} =~ ^($ours)$ ]]; then
        kept+=("$setting")
    elif ! [[ ${setting%%=*} =~ ^($of_bash)$ ]]; then
        more=yes
    fi
done < <(env -0)
[ -z "$more" ] || exec env -i "${kept[@]}" "${reaches[@]}" "$BASH" "$0" "$@"
unset needed ours of_bash kept more setting
