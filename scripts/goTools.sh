#!/bin/sh
# Builds helm and kubeconform into a folder, once for each version: `goTools.sh FOLDER`. Go gets the sources from its module proxy
# and verifies them with its checksum database.
mkdir -p "$1" || exit 1
folder=$(cd "$1" && pwd)
helm=v3.19.5
kubeconform=v0.6.7
if ! command -v go >/dev/null; then
  echo 'NOT CHECKED: missing Go 1.24 or newer, which builds helm and kubeconform.' >&2
  exit 1
fi
build() {
  [ -x "$folder/$1-$3" ] && return
  echo "Building $1 $3 (once)." >&2
  GOBIN="$folder" GOFLAGS=-mod=mod go install -trimpath -ldflags='-s -w' "$2@$3" && mv "$folder/$1" "$folder/$1-$3" || exit 1
}
build kubeconform github.com/yannh/kubeconform/cmd/kubeconform "$kubeconform"
build helm helm.sh/helm/v3/cmd/helm "$helm"
ln -sf "helm-$helm" "$folder/helm"
ln -sf "kubeconform-$kubeconform" "$folder/kubeconform"
