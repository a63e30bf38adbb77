/** The changelog and the numbers of a release. Pure: scripts/release.ts reads and writes the files. */

const number = /^(\d+)\.(\d+)\.(\d+)$/

/** True when `next` is a version that may follow `last`: one of its three numbers is higher, those before are the same. */
export function isLater(next: string, last: string): boolean {
  const [one, other] = [number.exec(next), number.exec(last)]
  if (!one || !other) return false
  const at = [1, 2, 3].find((place) => one[place] !== other[place])
  return at !== undefined && Number(one[at]) > Number(other[at])
}

const heading = /^## \[?([^\]\s]+)\]?.*$/gm

/** What stands under the heading of a version, without blank lines around it; undefined where there is no such heading. */
export function notesOf(changelog: string, version: string): string | undefined {
  const headings = [...changelog.matchAll(heading)]
  const at = headings.findIndex(([, name]) => name === version)
  const found = headings[at]
  return found && changelog.slice(found.index + found[0].length, headings[at + 1]?.index).trim()
}

/** Puts what stands under Unreleased below a heading of its version and day (`2026-11-22`). Throws a sentence when nothing stands there. */
export function releaseChangelog(changelog: string, version: string, day: string): string {
  if (notesOf(changelog, version) !== undefined) throw new Error(`CHANGELOG.md has a part for ${version} already.`)
  if (!notesOf(changelog, 'Unreleased')) throw new Error('CHANGELOG.md says nothing under Unreleased: write what changes.')
  return changelog.replace('## [Unreleased]', `## [Unreleased]\n\n## [${version}] - ${day}`)
}
