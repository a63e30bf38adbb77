/**
 * The three commands that verify a release, in the folder of its files: they check the signature of the checksums, the files,
 * and the commit from which they were built. `checkout`: a clone of the repository.
 */
export const verifyLines = (version: string, checkout = 'PATH/TO/A/CLONE'): readonly string[] => [
  'openssl dgst -sha256 -verify aglet-release.pub -signature SHA256SUMS.sig SHA256SUMS',
  'sha256sum --check --ignore-missing SHA256SUMS',
  `grep --quiet "$(git -C ${checkout} rev-parse v${version}^{commit})" aglet-${version}.provenance.json && echo 'built from the tag'`,
]
