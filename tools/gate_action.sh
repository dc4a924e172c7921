#!/usr/bin/env bash
# The step of action.yml: `irbounds gate` with the inputs of the action, which are variables here.
set -uo pipefail

case $UNCLEAR in
    fail | pass) ;;
    *) echo "unclear must be fail or pass, not '$UNCLEAR'" >&2; exit 2 ;;
esac
read -ra options <<<"$OPTIONS"
python -m irbounds gate "$QRELS" "$BASELINE" "$NEW" --margin "$MARGIN" --measures "$MEASURES" --github \
    ${options[@]+"${options[@]}"}
status=$?
case $status in
    0) verdict=pass ;;
    1) verdict=fail ;;
    3) verdict=unclear ;;
    *) exit $status ;;
esac
echo "verdict=$verdict" >>"$GITHUB_OUTPUT"
[[ $verdict == fail || ($verdict == unclear && $UNCLEAR == fail) ]] && exit $status
exit 0
