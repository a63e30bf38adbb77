import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import aglet from '../package.json' with { type: 'json' }
import { isLater, releaseChangelog, releaseNotes } from '../scripts/release/changelog.ts'

const changelog = `# Changelog

## Unreleased

### Added

- a

## 0.1.0 - 2026-11-01

- b
`

test('a release moves the notes below Unreleased to a heading of its own', () => {
  const released = releaseChangelog(changelog, '0.2.0', '2026-11-22')
  assert.equal(releaseNotes(released, 'Unreleased'), '')
  assert.equal(releaseNotes(released, '0.2.0'), '### Added\n\n- a')
  assert.equal(releaseNotes(released, '0.1.0'), '- b')
  assert.match(released, /^## 0\.2\.0 - 2026-11-22$/m)
})

test('a release without notes, or a second release of a version, is refused', () => {
  const released = releaseChangelog(changelog, '0.2.0', '2026-11-22')
  assert.throws(() => releaseChangelog(released, '0.3.0', '2026-11-22'), /no notes below Unreleased/)
  assert.throws(() => releaseChangelog(changelog, '0.1.0', '2026-11-22'), /already has a part for 0\.1\.0/)
})

test('only a later version number is accepted', () => {
  for (const next of ['0.1.10', '0.2.0', '1.0.0']) assert.ok(isLater(next, '0.1.9'), next)
  for (const next of ['0.1.9', '0.1.8', '0.0.10', '', 'v0.2.0', '0.2', '0.2.0-beta'])
    assert.ok(!isLater(next, '0.1.9'), next)
})

test('the changelog has a heading Unreleased, and the chart has the version of the package', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  assert.notEqual(releaseNotes(read('CHANGELOG.md'), 'Unreleased'), undefined)
  const chart = read('deploy/helm/aglet/Chart.yaml')
  assert.match(chart, new RegExp(`^version: ${RegExp.escape(aglet.version)}$`, 'm'))
  assert.match(chart, new RegExp(`^appVersion: "${RegExp.escape(aglet.version)}"$`, 'm'))
})
