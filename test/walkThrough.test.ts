import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Aglet, freePort, startAglet, stopAglet } from './fake/aglet.ts'
import { assertShown, runSteps, stepsOf } from './fake/docSteps.ts'

const steps = stepsOf('walk-through.md')
const data = mkdtempSync(join(tmpdir(), 'aglet-walk-'))
let aglet: Aglet
let told: string[]

before(async () => {
  aglet = await startAglet({ data, port: await freePort() })
  told = await runSteps(steps, aglet)
})
after(async () => {
  await stopAglet(aglet)
  rmSync(data, { recursive: true, force: true })
})

test('the page has commands for every step of the way', () => {
  assert.deepEqual(
    [...new Set(steps.map(({ heading }) => heading).filter(Boolean))],
    [
      'What the operator prepares',
      'An application, approved',
      'A token',
      'A policy',
      'A tag',
      'A sealed secret',
      'A script',
      'An event',
      'A change, and back',
    ],
  )
})

for (const [at, { heading, answer }] of steps.entries()) {
  if (!answer) continue
  test(`under "${heading}", step ${at + 1} answers what the page shows`, () => assertShown(answer, told[at]!))
}
