import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { verifyLines } from '../scripts/release/verifyLines.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

type Step = { uses?: string; run?: string }
type Workflow = { permissions: Record<string, string>; jobs: Record<string, { steps: Step[] }> }

test('a workflow runs actions by their commit, and may read alone unless a job says more', () => {
  for (const file of globSync('.github/workflows/*.yml', { cwd: root })) {
    const { permissions, jobs } = parse(read(file)) as Workflow
    assert.deepEqual(permissions, { contents: 'read' }, file)
    for (const { uses } of Object.values(jobs).flatMap(({ steps }) => steps))
      if (uses !== undefined) assert.match(uses, /^[\w./-]+@[0-9a-f]{40}$/, file)
  }
})

test('workflows and the scripts of CI run commands that the package has', () => {
  for (const file of [...globSync('.github/workflows/*.yml', { cwd: root }), '.ci/run', '.ci/nightly'])
    for (const [, name] of read(file).matchAll(/npm run ([\w:]+)/g)) assert.ok(name! in scripts, `${file}: ${name}`)
})

test('docs/releases.md has the three commands', () => {
  const page = read('docs/releases.md')
  for (const line of verifyLines('VERSION')) assert.ok(page.includes(`\n${line}\n`), line)
})
