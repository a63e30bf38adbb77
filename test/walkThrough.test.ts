import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Aglet, freePort, aglet as runAglet, startAglet, stopAglet } from './fake/aglet.ts'
import { assertShown, runSteps, stepsOf } from './fake/docSteps.ts'

const steps = ['walk-through.md', 'walk-through-channel.md'].flatMap(stepsOf)
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

test('the pages have commands for every step of the way', () => {
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
      'What is left',
    ],
  )
})

for (const [at, { heading, answer }] of steps.entries()) {
  if (!answer) continue
  test(`under "${heading}", step ${at + 1} answers what its page shows`, () => assertShown(answer, told[at]!))
}

test('afterwards no policy, tag or application of the pages is left', async () => {
  const list = <Answer>(...words: string[]) => runAglet<Answer>(data, ...words, '--environment', 'sandbox')
  assert.deepEqual((await list<{ policies: unknown[] }>('policy', 'list')).policies, [])
  const { teams } = await list<{ teams: { teamId: string; name: string }[] }>('team', 'list')
  const { teamId } = teams.find(({ name }) => name.startsWith('Walk-through'))!
  const { token } = await list<{ token: string }>('token', 'create', '--team', teamId)
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }
    const answer = await fetch(`${aglet.origin}/sandbox/v1${path}`, { headers })
    return (await answer.json()) as Record<string, unknown[]>
  }
  assert.deepEqual((await read('/tag')).tags, [])
  assert.deepEqual((await read('/application')).applications, [])
})
