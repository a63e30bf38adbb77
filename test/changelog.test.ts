import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import aglet from '../package.json' with { type: 'json' }
import { isLater, notesOf, releaseChangelog } from '../scripts/changelog.ts'

const changelog = `# Changelog

## [Unreleased]

### Added

- a

## [0.1.0] - 2026-11-01

- b
`

test('a release takes what is unreleased under its own heading, and leaves room for the next', () => {
  const released = releaseChangelog(changelog, '0.2.0', '2026-11-22')
  assert.equal(notesOf(released, 'Unreleased'), '')
  assert.equal(notesOf(released, '0.2.0'), '### Added\n\n- a')
  assert.equal(notesOf(released, '0.1.0'), '- b')
  assert.match(released, /^## \[0\.2\.0\] - 2026-11-22$/m)
})

test('a release without a word on what it changes, or a second time, is refused', () => {
  const released = releaseChangelog(changelog, '0.2.0', '2026-11-22')
  assert.throws(() => releaseChangelog(released, '0.3.0', '2026-11-22'), /nothing under Unreleased/)
  assert.throws(() => releaseChangelog(changelog, '0.1.0', '2026-11-22'), /a part for 0\.1\.0 already/)
})

test('only a later version follows', () => {
  for (const next of ['0.1.10', '0.2.0', '1.0.0']) assert.ok(isLater(next, '0.1.9'), next)
  for (const next of ['0.1.9', '0.1.8', '0.0.10', '', 'v0.2.0', '0.2', '0.2.0-beta'])
    assert.ok(!isLater(next, '0.1.9'), next)
})

test('the changelog has a part for what is not released yet, and the chart has the version of the package', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  assert.notEqual(notesOf(read('CHANGELOG.md'), 'Unreleased'), undefined)
  const chart = read('deploy/helm/aglet/Chart.yaml')
  assert.match(chart, new RegExp(`^version: ${RegExp.escape(aglet.version)}$`, 'm'))
  assert.match(chart, new RegExp(`^appVersion: "${RegExp.escape(aglet.version)}"$`, 'm'))
})
