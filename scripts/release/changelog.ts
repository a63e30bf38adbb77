/** The changelog and the version numbers of releases. Pure: scripts/release.ts reads and writes the files. */

const versionNumber = /^(\d+)\.(\d+)\.(\d+)$/

/** True if `next` is a version `x.y.z` later than `last`. */
export function isLater(next: string, last: string): boolean {
  const [one, other] = [versionNumber.exec(next), versionNumber.exec(last)]
  if (!one || !other) return false
  const at = [1, 2, 3].find((place) => one[place] !== other[place])
  return at !== undefined && Number(one[at]) > Number(other[at])
}

const heading = /^## (\S+).*$/gm

/** The notes below the heading of a version, trimmed; undefined if there is no such heading. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const headings = [...changelog.matchAll(heading)]
  const at = headings.findIndex(([, name]) => name === version)
  const found = headings[at]
  return found && changelog.slice(found.index + found[0].length, headings[at + 1]?.index).trim()
}

/** Moves the notes below Unreleased to a heading of the version and its day (`2026-11-22`). Throws if there are none. */
export function releaseChangelog(changelog: string, version: string, day: string): string {
  if (releaseNotes(changelog, version) !== undefined) throw new Error(`CHANGELOG.md already has a part for ${version}.`)
  if (!releaseNotes(changelog, 'Unreleased'))
    throw new Error('CHANGELOG.md has no notes below Unreleased: write what changes.')
  return changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${day}`)
}
