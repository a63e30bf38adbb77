#!/bin/sh
# Builds the programs that check the Helm chart, at the versions named here, where they are not yet: Go's module proxy has their
# sources, and Go checks them against its checksum database. `goTools.sh FOLDER`
folder=$1
helm=v3.19.5
kubeconform=v0.6.7
if ! command -v go >/dev/null; then
  echo 'NOT CHECKED: this needs Go 1.24 or newer, which builds helm and kubeconform.' >&2
  exit 1
fi
mkdir -p "$folder" || exit 1
build() {
  [ -x "$folder/$1-$3" ] && return
  echo "Building $1 $3 (once)." >&2
  GOBIN="$folder" GOFLAGS=-mod=mod go install -trimpath -ldflags='-s -w' "$2@$3" && mv "$folder/$1" "$folder/$1-$3" || exit 1
}
build kubeconform github.com/yannh/kubeconform/cmd/kubeconform "$kubeconform"
build helm helm.sh/helm/v3/cmd/helm "$helm"
ln -sf "helm-$helm" "$folder/helm"
ln -sf "kubeconform-$kubeconform" "$folder/kubeconform"
