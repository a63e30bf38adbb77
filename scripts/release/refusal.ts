import { isLater, releaseNotes } from './changelog.ts'

/** The state that decides whether a release can be made. */
export type ReleaseState = {
  version: string
  /** The version in package.json. */
  lastVersion: string
  /** The versions that have a tag. */
  tagged: readonly string[]
  /** What `git status --porcelain` prints. */
  changes: string
  changelog: string
  /** Whether the person who releases gave a key. A dry run generates one. */
  hasKey: boolean
  isDryRun: boolean
}

const versionNumber = /^\d+\.\d+\.\d+$/

/** Why a release cannot be made, and what to do; undefined if it can. The first release may keep its version. */
export function refusalOf(state: ReleaseState): string | undefined {
  const { version, lastVersion, tagged, changes, changelog, hasKey, isDryRun } = state
  if (!versionNumber.test(version)) return 'Name the version: npm run release -- X.Y.Z.'
  if (tagged.includes(version)) return `The tag v${version} exists: choose a later version.`
  const newest = tagged.reduce((one, other) => (isLater(other, one) ? other : one), '0.0.0')
  const isFirst = tagged.length === 0 && version === lastVersion
  if (!isFirst && !(isLater(version, lastVersion) && isLater(version, newest)))
    return `${version} is not later than ${isLater(newest, lastVersion) ? newest : lastVersion}: a version never goes back.`
  if (changes !== '') return `There are uncommitted changes: commit or stash them.\n${changes}`
  if (releaseNotes(changelog, version) !== undefined) return `CHANGELOG.md already has a part for ${version}.`
  if (!releaseNotes(changelog, 'Unreleased')) return 'CHANGELOG.md has no notes below Unreleased: write what changes.'
  if (!hasKey && !isDryRun)
    return 'The key is missing: set AGLET_RELEASE_KEY to the file of your private key (SECURITY.md says how to make one).'
  return undefined
}
